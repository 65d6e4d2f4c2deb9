/// Why a JSON value is none of a schema's type, and where in it.
struct FlatBufferJSONFailure: Error, Equatable {
  enum Step: Equatable {
    case name(String)
    case index(Int)
  }

  /// From the inside out.
  private var reversedPath: [Step] = []
  private let what: String

  init(_ what: String) {
    self.what = what
  }

  /// The same failure, seen from the value that holds the one where it happened.
  func within(_ step: Step) -> FlatBufferJSONFailure {
    var outer = self
    outer.reversedPath.append(step)
    return outer
  }

  /// `weapons[2].damage: what is wrong`
  var message: String {
    var path = ""
    for step in reversedPath.reversed() {
      switch step {
      case .name(let name): path += (path.isEmpty ? "" : ".") + name
      case .index(let index): path += "[\(index)]"
      }
    }
    return path.isEmpty ? what : "\(path): \(what)"
  }
}

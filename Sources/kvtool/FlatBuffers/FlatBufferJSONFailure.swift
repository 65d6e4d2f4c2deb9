/// The reason why JSON doesn't describe a value of a schema's type, with the path to the offending part.
struct FlatBufferJSONFailure: Error, Equatable {
  enum Step: Equatable {
    case name(String)
    case index(Int)
  }

  /// The path from the innermost value outward.
  private var reversedPath: [Step] = []
  private let what: String
  /// True if the JSON names a field that its type doesn't have.
  let isOfUnknownField: Bool

  init(_ what: String, isOfUnknownField: Bool = false) {
    self.what = what
    self.isOfUnknownField = isOfUnknownField
  }

  /// True if the failure is one of the whole value, and the path is empty.
  var isOfWhole: Bool { reversedPath.isEmpty }

  /// Returns the same failure with the path extended by the step from the enclosing value.
  func within(_ step: Step) -> FlatBufferJSONFailure {
    var outer = self
    outer.reversedPath.append(step)
    return outer
  }

  /// The path and the reason, such as `weapons[2].damage: reason`.
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

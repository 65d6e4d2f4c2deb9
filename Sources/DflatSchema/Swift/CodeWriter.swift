/// Collects lines of Swift, indented, and wrapped as `swift format` leaves them with this package's configuration.
struct CodeWriter {
  static let lineLength = 120

  private(set) var text = ""
  private var indentation = ""

  /// How long a line may be at this depth.
  private var room: Int { Self.lineLength - indentation.utf8.count }

  mutating func line(_ content: String = "") {
    if !content.isEmpty { text += indentation + content }
    text += "\n"
  }

  mutating func indented(_ body: (inout CodeWriter) -> Void) {
    indentation += "  "
    body(&self)
    indentation.removeLast(2)
  }

  /// `head {`, the body, `}`.
  mutating func block(_ head: String, _ body: (inout CodeWriter) -> Void) {
    line(head + " {")
    indented(body)
    line("}")
  }

  /// A type and what it conforms to.
  mutating func type(_ head: String, _ conformances: [String], _ body: (inout CodeWriter) -> Void) {
    let list = conformances.joined(separator: ", ")
    let oneLine = "\(head): \(list) {"
    if oneLine.utf8.count <= room {
      line(oneLine)
    } else {
      line(head + ":")
      indented { $0.line(list) }
      line("{")
    }
    indented(body)
    line("}")
  }

  /// A function's or initializer's head and body; parameters that don't fit in one line have a line each.
  mutating func function(
    _ head: String, _ parameters: [String], _ tail: String = "", _ body: (inout CodeWriter) -> Void
  ) {
    let oneLine = "\(head)(\(parameters.joined(separator: ", ")))\(tail) {"
    if oneLine.utf8.count <= room {
      line(oneLine)
    } else {
      line(head + "(")
      indented { $0.list(parameters, last: "") }
      line(")\(tail) {")
    }
    indented(body)
    line("}")
  }

  /// `head(arguments)`; arguments that don't fit in one line go to the next, or have a line each.
  mutating func call(_ head: String, _ arguments: [String]) {
    let all = arguments.joined(separator: ", ") + ")"
    if head.utf8.count + 1 + all.utf8.count <= room {
      line("\(head)(\(all)")
    } else {
      line(head + "(")
      indented { writer in
        if all.utf8.count <= writer.room {
          writer.line(all)
        } else {
          writer.list(arguments, last: ")")
        }
      }
    }
  }

  /// `left = right`, in two lines where one is too short.
  mutating func assignment(_ left: String, _ right: String) {
    let oneLine = "\(left) = \(right)"
    if oneLine.utf8.count <= room {
      line(oneLine)
    } else {
      line(left + " =")
      indented { $0.line(right) }
    }
  }

  /// `guard` with its conditions; those that don't fit in one line have a line each.
  mutating func `guard`(_ conditions: [String], else exit: String) {
    let oneLine = "guard \(conditions.joined(separator: ", ")) else { \(exit) }"
    if oneLine.utf8.count <= room {
      line(oneLine)
    } else {
      line("guard")
      indented { $0.list(conditions, last: "") }
      line("else { \(exit) }")
    }
  }

  /// `///` and the lines of a schema's comment.
  mutating func documentation(_ lines: [String]) {
    for content in lines {
      var content = content[...]
      while let last = content.last, last.isWhitespace { content.removeLast() }
      line(content.isEmpty ? "///" : "/// " + content)
    }
  }

  private mutating func list(_ elements: [String], last: String) {
    for (index, element) in elements.enumerated() {
      line(element + (index == elements.count - 1 ? last : ","))
    }
  }
}

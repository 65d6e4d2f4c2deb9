/// Collects lines of Swift, indented, and wrapped as `swift format` does with this package's configuration.
///
/// It wraps only the constructs that become too long with names of usual length. `hasLongLines` is true if a line is
/// still too long.
package struct CodeWriter {
  static let lineLength = 120

  package private(set) var text = ""
  private(set) var hasLongLines = false
  private var indentation = ""

  /// The maximum length of a line at the current depth.
  private var room: Int { Self.lineLength - indentation.utf8.count }

  package init() {}

  /// Creates a writer at the depth of another one.
  package init(like other: CodeWriter) { indentation = other.indentation }

  package mutating func append(_ other: CodeWriter) {
    text += other.text
    if other.hasLongLines { hasLongLines = true }
  }

  package mutating func line(_ content: String = "") {
    if !content.isEmpty { text += indentation + content }
    text += "\n"
    if content.utf8.count > room { hasLongLines = true }
  }

  package mutating func indented(_ body: (inout CodeWriter) -> Void) {
    indentation += "  "
    body(&self)
    indentation.removeLast(2)
  }

  /// Writes the lines of a schema's comment, each after `///`. They may be of any length.
  package mutating func documentation(_ lines: [String]) {
    for content in lines {
      var content = content[...]
      while let last = content.last, last.isWhitespace { content.removeLast() }
      text += indentation + (content.isEmpty ? "///" : "/// " + Self.withoutControls(content)) + "\n"
    }
  }

  /// Replaces control characters. Swift warns of some in comments, and treats others as the end of a line.
  private static func withoutControls(_ content: Substring) -> String {
    var result = String.UnicodeScalarView()
    for scalar in content.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control && scalar != "\t"
      result.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}

/// Declarations.
extension CodeWriter {
  /// Writes `head {`, the body, `}`.
  package mutating func block(_ head: String, _ body: (inout CodeWriter) -> Void) {
    line(head + " {")
    indented(body)
    line("}")
  }

  /// Writes a type with its conformances.
  package mutating func type(_ head: String, _ conformances: [String], _ body: (inout CodeWriter) -> Void) {
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

  /// Writes `public var name: Type`.
  mutating func declaration(_ head: String, _ type: String) {
    joined("\(head):", type)
  }

  /// Writes `head { expression }`.
  mutating func accessor(_ head: String, _ expression: String) {
    let oneLine = "\(head) { \(expression) }"
    if oneLine.utf8.count <= room { return line(oneLine) }
    block(head) { writer in
      guard expression.utf8.count > writer.room, let (value, fallback) = Self.operands(of: expression) else {
        return writer.line(expression)
      }
      writer.line(value)
      writer.indented { $0.line("?? " + fallback) }
    }
  }

  /// Writes `head { call(arguments) }`.
  mutating func accessorCall(_ head: String, _ call: String, _ arguments: [String]) {
    let oneLine = "\(head) { \(call)(\(arguments.joined(separator: ", "))) }"
    if oneLine.utf8.count <= room { line(oneLine) } else { block(head) { $0.call(call, arguments) } }
  }

  /// Writes `head: Type { get … set … }`.
  mutating func variable(_ head: String, _ type: String, _ accessors: (inout CodeWriter) -> Void) {
    let oneLine = "\(head): \(type) {"
    if oneLine.utf8.count <= room {
      line(oneLine)
    } else {
      line(head + ":")
      indented { $0.line(type) }
      line("{")
    }
    indented(accessors)
    line("}")
  }

  /// Writes `extension Type where … {`, the body, `}`.
  mutating func constrainedExtension(_ type: String, _ constraint: String, _ body: (inout CodeWriter) -> Void) {
    let oneLine = "extension \(type) \(constraint) {"
    if oneLine.utf8.count <= room {
      line(oneLine)
    } else {
      line("extension \(type)")
      line(constraint)
      line("{")
    }
    indented(body)
    line("}")
  }

  /// Writes a function or an initializer. If the parameters don't fit on one line, each gets its own.
  package mutating func function(
    _ head: String, _ parameters: [String], _ tail: String = "", _ body: (inout CodeWriter) -> Void
  ) {
    function(head, parameters.map { ($0, "") }, tail, body)
  }

  /// Writes a function or an initializer whose parameters have two parts, a declaration and a default.
  mutating func function(
    _ head: String, _ parameters: [(declaration: String, rest: String)], _ tail: String = "",
    _ body: (inout CodeWriter) -> Void
  ) {
    let list = parameters.map { $0.rest.isEmpty ? $0.declaration : "\($0.declaration) \($0.rest)" }
    let oneLine = "\(head)(\(list.joined(separator: ", ")))\(tail) {"
    if oneLine.utf8.count <= room {
      line(oneLine)
    } else {
      line(head + "(")
      indented { $0.lines(parameters, separator: ",") }
      line(")\(tail) {")
    }
    indented(body)
    line("}")
  }
}

/// Statements.
extension CodeWriter {
  /// Writes `head(arguments)`, optionally with a closure at its end. Arguments that don't fit on the line go to the
  /// next one, or get a line each.
  package mutating func call(_ head: String, _ arguments: [String], closure: String? = nil, _ end: String = "") {
    let all = arguments.joined(separator: ", ") + ")"
    let oneLine = "\(head)(\(all)" + (closure.map { " { \($0) }" } ?? "") + end
    // The formatter breaks a line that ends at the margin with two parentheses.
    if oneLine.utf8.count <= (oneLine.hasSuffix("))") ? room - 1 : room) { return line(oneLine) }
    if let closure {
      line("\(head)(\(all) {")
      indented { $0.line(closure) }
      return line("}" + end)
    }
    line(head + "(")
    indented { writer in
      if all.utf8.count + end.utf8.count <= writer.room {
        writer.line(all + end)
      } else {
        for argument in arguments.dropLast() { writer.line(argument + ",") }
        writer.line((arguments.last ?? "") + ")" + end)
      }
    }
  }

  /// Writes `head"""`, the lines of a text, and `"""` with the end.
  package mutating func literal(_ head: String, _ lines: [String], _ end: String) {
    line(head + "\"\"\"")
    indented { writer in
      for content in lines { writer.line(SwiftLiterals.escaped(content)) }
      writer.line("\"\"\"" + end)
    }
  }

  /// Writes `left = right` on one line, on two if it is too long, or on three if there is a `??` to break at.
  package mutating func assignment(_ left: String, _ right: String) {
    let oneLine = "\(left) = \(right)"
    if oneLine.utf8.count <= room { return line(oneLine) }
    line(left + " =")
    indented { writer in
      if right.utf8.count > writer.room, let (value, fallback) = Self.operands(of: right) {
        writer.line(value)
        writer.line("?? " + fallback)
      } else {
        writer.line(right)
      }
    }
  }

  /// Returns the operands of the first `??` outside of string literals, or nil if there is none.
  private static func operands(of expression: String) -> (value: String, fallback: String)? {
    let bytes = Array(expression.utf8)
    var isInLiteral = false
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): isInLiteral.toggle()
      // The next character is escaped.
      case UInt8(ascii: "\\") where isInLiteral: index += 1
      case UInt8(ascii: " ") where !isInLiteral && bytes[index...].starts(with: " ?? ".utf8):
        let fallback = bytes[(index + 4)...]
        return (String(decoding: bytes[..<index], as: UTF8.self), String(decoding: fallback, as: UTF8.self))
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Writes elements of two parts, with the second on its own line if it doesn't fit.
  private mutating func lines(_ elements: [(String, String)], separator: String) {
    for (index, element) in elements.enumerated() {
      let end = index == elements.count - 1 ? "" : separator
      if element.1.isEmpty { line(element.0 + end) } else { joined(element.0, element.1 + end) }
    }
  }

  private mutating func joined(_ left: String, _ right: String) {
    let oneLine = "\(left) \(right)"
    if oneLine.utf8.count <= room { return line(oneLine) }
    // An equals sign stays on its line. Other operators begin the next one.
    let staysBehind = right.hasPrefix("= ")
    line(staysBehind ? left + " =" : left)
    indented { $0.line(staysBehind ? String(right.dropFirst(2)) : right) }
  }
}

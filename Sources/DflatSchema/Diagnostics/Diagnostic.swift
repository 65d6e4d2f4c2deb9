/// A place in a schema's text. Lines and columns count from 1; columns in Unicode scalars, a tab being one.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
  /// The file as the compiler was told of it.
  public let file: String
  /// From 1.
  public let line: Int
  /// From 1, in Unicode scalars.
  public let column: Int

  /// A place.
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`.
  public var description: String { "\(file):\(line):\(column)" }
}

/// What is wrong with a schema, where, and what to write instead.
public struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where it is.
  public let location: SourceLocation
  /// What is wrong.
  public let message: String
  /// What to write instead.
  public let advice: String

  /// A diagnostic. Control characters in its texts are escaped, so that it is one line.
  public init(_ location: SourceLocation, _ message: String, advice: String) {
    self.location = location
    self.message = Self.onOneLine(message)
    self.advice = Self.onOneLine(advice)
  }

  /// What is quoted from a schema may have line ends in it; a diagnostic is one line.
  private static func onOneLine(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.reduce(into: "") { line, scalar in
      line += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
    }
  }

  /// Unicode's control characters, and its line ends that are none: U+2028 and U+2029.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: true
    default: false
    }
  }

  /// `file:line:column: error: what is wrong; what to write instead`, as compilers and editors expect it.
  public var description: String { "\(location): error: \(message); \(advice)" }
}

/// Everything that is wrong with a schema, in the order of the text.
public struct SchemaErrors: Error, Sendable, CustomStringConvertible {
  /// At least one.
  public let diagnostics: [Diagnostic]

  /// What was found.
  public init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// A line for each.
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

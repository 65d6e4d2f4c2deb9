/// A location in a schema's text. Lines and columns count from 1. Columns count Unicode scalars; a tab is one.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file, as given to the compiler.
  public let file: String
  /// The line, from 1.
  public let line: Int
  /// The column, from 1, in Unicode scalars.
  public let column: Int

  /// Creates a location.
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// The location as `file:line:column`.
  public var description: String { "\(file):\(line):\(column)" }
}

/// An error in a schema, its location, and advice on correcting it.
public struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// The location of the error.
  public let location: SourceLocation
  /// A description of the error.
  public let message: String
  /// The correction to make.
  public let advice: String

  /// Creates a diagnostic. Control characters in its texts are escaped, so that it stays on one line.
  public init(_ location: SourceLocation, _ message: String, advice: String) {
    self.location = location
    self.message = Self.onOneLine(message)
    self.advice = Self.onOneLine(advice)
  }

  /// Escapes control characters: text quoted from a schema may have line ends.
  private static func onOneLine(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.reduce(into: "") { line, scalar in
      line += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
    }
  }

  /// Returns true for Unicode's control characters, and for its line ends that are not among them: U+2028 and U+2029.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: true
    default: false
    }
  }

  /// The diagnostic as compilers and editors expect it: `file:line:column: error: message; advice`.
  public var description: String { "\(location): error: \(message); \(advice)" }
}

/// All errors in a schema, in the order of the text.
public struct SchemaErrors: Error, Sendable, CustomStringConvertible {
  /// The errors, at least one.
  public let diagnostics: [Diagnostic]

  /// Creates an error from diagnostics.
  public init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// The diagnostics, one per line.
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// An error in a schema or a warning about it, its location, and advice on correcting it.
public struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// The consequence of a diagnostic.
  public enum Severity: String, Hashable, Sendable {
    /// The schema doesn't compile.
    case error
    /// The schema compiles, but a part of it has no effect, or probably not the intended one.
    case warning
  }

  /// The location of the cause.
  public let location: SourceLocation
  /// The consequence: an error prevents compilation, a warning doesn't.
  public let severity: Severity
  /// A description of the cause.
  public let message: String
  /// The correction to make.
  public let advice: String

  /// Creates a diagnostic. Control characters in its texts are escaped, so that it stays on one line.
  public init(_ location: SourceLocation, _ message: String, advice: String, severity: Severity = .error) {
    self.location = location
    self.severity = severity
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
  public var description: String { "\(location): \(severity.rawValue): \(message); \(advice)" }
}

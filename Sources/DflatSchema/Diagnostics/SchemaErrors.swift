/// All errors in a schema, in the order of the text.
public struct SchemaErrors: Error, Sendable, CustomStringConvertible {
  /// The errors, at least one.
  public let diagnostics: [Diagnostic]

  /// Creates an error from diagnostics.
  public init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// The diagnostics, one per line.
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

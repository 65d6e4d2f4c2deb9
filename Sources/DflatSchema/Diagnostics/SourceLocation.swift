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

/// A file of a schema.
public struct SchemaFile: Sendable {
  /// The path on the command line, or the one found through an include.
  public var path: String
  /// The files that it includes directly, by their indices in `Schema.files`.
  public var includes: [Int] = []
  /// The table that `root_type` names, by its index in `Schema.tables`. It may be a table without a primary key of an
  /// included file.
  public var rootTable: Int?
  /// The value of `file_identifier`, four bytes.
  public var fileIdentifier: String?
  /// The value of `file_extension`. The compiler doesn't use it.
  public var fileExtension: String?
  /// The namespaces that hold its types, in the order of their first type; the global one is `[]`.
  public var namespaces: [[String]] = []
  /// The location of the table's name in `root_type`.
  public var rootTypeLocation: SourceLocation?
  /// The location of the string in `file_identifier`.
  public var fileIdentifierLocation: SourceLocation?

  /// Creates an empty file.
  public init(path: String) { self.path = path }
}

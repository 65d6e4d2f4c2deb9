/// A schema with its includes: every name is resolved, every offset computed, every rule checked.
///
/// Types refer to each other by their indices in these arrays. Everything is in the order of declaration, included
/// files first.
public struct Schema: Sendable {
  /// The files; the compiled ones follow those that they include.
  public var files: [SchemaFile] = []
  /// Every `enum`.
  public var enums: [EnumDefinition] = []
  /// Every `union`.
  public var unions: [UnionDefinition] = []
  /// Every `struct`.
  public var structs: [StructDefinition] = []
  /// Every `table`.
  public var tables: [TableDefinition] = []
  /// The warnings about the files, in their order and that of their text.
  public var warnings: [Diagnostic] = []

  /// Creates an empty schema.
  public init() {}
}

extension Schema {
  /// Returns diagnostics in the order of the files and of their text.
  func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    let order = Dictionary(files.enumerated().map { (Array($0.element.path.utf8), $0.offset) }) { first, _ in first }
    let keyed = diagnostics.enumerated().map { (offset, diagnostic) in
      let location = diagnostic.location
      return (
        key: (order[Array(location.file.utf8)] ?? -1, location.line, location.column, offset), diagnostic
      )
    }
    return keyed.sorted { $0.key < $1.key }.map(\.1)
  }
}

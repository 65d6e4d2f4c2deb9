public import DflatCore

/// The storage description of a type's objects. Generated code has one for each type, in a `static let`.
public final class EntityDescription: Sendable {
  /// The name of the type's table.
  public let table: String
  /// The fields of the primary key, in the order of the columns `__pk0`, `__pk1`, …
  public let primaryKey: [EntityField]
  /// The indexes: those of single fields in declaration order, then those of several fields.
  public let indexes: [EntityIndex]
  /// The searchable fields, in declaration order. One full-text index covers all of them.
  public let searchable: [EntityField]
  /// The schema, which is compared with the file's; nil in code that an older `dflatc` generated.
  package let schema: DeclaredSchema?
  /// The table's number in this process. All descriptions of one table share it.
  package let number: Int
  package let sql: EntitySQL
  /// The fields of the full-text index; nil without searchable fields.
  package let search: SearchFields?
  /// Readers for the columns of the primary key.
  package let keyReaders: [PathReader]

  /// Creates a description, as code from an older `dflatc` does.
  ///
  /// - Parameters:
  ///   - table: The type's full name, which names its tables in the file.
  ///   - primaryKey: The fields of the primary key, in their order.
  ///   - indexes: The indexes that the schema declares.
  ///   - schema: The canonical text of the schema.
  public convenience init(_ table: String, primaryKey: [EntityField], indexes: [EntityIndex] = [], schema: String?) {
    self.init(
      table, primaryKey: primaryKey, indexes: indexes, schema: schema.map { FlatBuffersSchema(root: table, text: $0) })
  }

  /// Creates a description. The primary key needs at least one field.
  ///
  /// - Parameters:
  ///   - table: The name of the type's table.
  ///   - primaryKey: The fields of the primary key.
  ///   - indexes: The indexes.
  ///   - searchable: The searchable fields, which are texts.
  ///   - schema: The schema, from `dflatc`. Before a program uses the type's objects in a file, it compares the schema
  ///     with that of the programs that stored them. Nil omits the comparison.
  public init(
    _ table: String, primaryKey: [EntityField], indexes: [EntityIndex] = [], searchable: [EntityField] = [],
    schema: FlatBuffersSchema? = nil
  ) {
    precondition(!primaryKey.isEmpty, "'\(table)' has no primary key.")
    self.table = table
    self.primaryKey = primaryKey
    self.indexes = indexes
    self.searchable = searchable
    self.search = SearchFields(searchable.map(\.path))
    self.schema = schema.map { DeclaredSchema($0, ofTable: table) }
    self.number = TableNumbers.number(of: table)
    self.sql = .of(table, keyCount: primaryKey.count)
    self.keyReaders = primaryKey.map { PathReader(storedBy: $0.path) }
  }
}

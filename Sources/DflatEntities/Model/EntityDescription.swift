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
  /// - Parameter schema: The canonical text of the schema.
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
    self.sql = EntitySQL(table: table, keyCount: primaryKey.count)
    self.keyReaders = primaryKey.map { PathReader(storedBy: $0.path) }
  }
}

/// A field that the store reads without decoding the object.
public struct EntityField: Hashable, Sendable {
  /// The field's name in queries, without the type: `priority`, `equipped.as(Orb.self).name`. Used in messages.
  public let name: String
  /// The location of the field's value in the bytes.
  public let path: FieldPath

  /// Creates a field.
  public init(_ name: String, _ path: FieldPath) {
    self.name = name
    self.path = path
  }
}

/// An index over a field, or over several fields in an order.
public struct EntityIndex: Hashable, Sendable {
  /// The indexed fields, at least one. Rows are sorted by the first one, those that are equal in it by the second one,
  /// and so on.
  public let fields: [EntityField]
  /// True if no two objects may share a value, or the combination of values. Any number of them may have null.
  public let isUnique: Bool

  /// Creates an index on the field at a path.
  public init(_ name: String, _ path: FieldPath, isUnique: Bool = false) {
    self.init([EntityField(name, path)], isUnique: isUnique)
  }

  /// Creates an index over fields, in their order. It needs at least one, and at most eight.
  ///
  ///     EntityIndex([EntityField("author", .init(.string(6))), EntityField("title", .init(.string(4)))])
  public init(_ fields: [EntityField], isUnique: Bool = false) {
    precondition((1...IndexPaths.maximumCount).contains(fields.count), "An index has one to eight fields.")
    self.fields = fields
    self.isUnique = isUnique
  }

  /// The first field.
  public var field: EntityField { fields[0] }

  /// The name in messages and explanations: `author, title`.
  package var name: String { fields.count == 1 ? fields[0].name : fields.map(\.name).joined(separator: ", ") }
  /// The path of the first field.
  package var path: FieldPath { fields[0].path }
  /// The name in the file, a part of the name of the index's table.
  package var storedName: String { fields.count == 1 ? fields[0].path.name : paths.name }
  /// The paths of all fields.
  package var paths: IndexPaths { IndexPaths(fields.map(\.path)) }
}

/// Assigns numbers to table names. A number is valid until the process ends.
enum TableNumbers {
  private static let numbers = Lock<[ByteComparedString: Int]>([:])

  static func number(of table: String) -> Int {
    let table = ByteComparedString(table)
    return numbers.withLock { numbers in
      if let found = numbers[table] { return found }
      numbers[table] = numbers.count
      return numbers.count - 1
    }
  }
}

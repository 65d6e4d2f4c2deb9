import DflatCore

/// The storage description of a type's objects. Generated code has one for each type, in a `static let`.
public final class EntityDescription: Sendable {
  /// The name of the type's table.
  public let table: String
  /// The fields of the primary key, in the order of the columns `__pk0`, `__pk1`, …
  public let primaryKey: [EntityField]
  /// The indexed fields, in declaration order.
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

  /// Creates a description. The primary key needs at least one field.
  ///
  /// - Parameters:
  ///   - table: The name of the type's table.
  ///   - primaryKey: The fields of the primary key.
  ///   - indexes: The indexed fields.
  ///   - searchable: The searchable fields, which are texts.
  ///   - schema: The canonical text of the schema, from `dflatc`. Before a program uses the type's objects in a file, it
  ///     compares the schema with that of the programs that stored them. Nil omits the comparison.
  public init(
    _ table: String, primaryKey: [EntityField], indexes: [EntityIndex] = [], searchable: [EntityField] = [],
    schema: String? = nil
  ) {
    precondition(!primaryKey.isEmpty, "'\(table)' has no primary key.")
    self.table = table
    self.primaryKey = primaryKey
    self.indexes = indexes
    self.searchable = searchable
    self.search = SearchFields(searchable.map(\.path))
    self.schema = schema.map(DeclaredSchema.init)
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

/// An index over a field.
public struct EntityIndex: Hashable, Sendable {
  /// The indexed field.
  public let field: EntityField
  /// True if no two objects may share a value. Any number of them may have null.
  public let isUnique: Bool

  /// Creates an index on the field at a path.
  public init(_ name: String, _ path: FieldPath, isUnique: Bool = false) {
    self.field = EntityField(name, path)
    self.isUnique = isUnique
  }

  package var path: FieldPath { field.path }
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

/// How the objects of a type are stored. Generated code has one a type, in a `static let`.
public final class EntityDescription: Sendable {
  /// The name of the table.
  public let table: String
  /// The fields of the primary key, in order: the columns `__pk0`, `__pk1`, …
  public let primaryKey: [EntityField]
  /// The indexed fields, in the order of declaration.
  public let indexes: [EntityIndex]
  /// Tells tables apart in this process: the same for every description of one table.
  package let number: Int
  package let sql: EntitySQL
  /// Read the columns of the primary key.
  package let keyReaders: [PathReader]

  /// A description. The primary key has at least one field.
  public init(_ table: String, primaryKey: [EntityField], indexes: [EntityIndex] = []) {
    precondition(!primaryKey.isEmpty, "'\(table)' has no primary key.")
    self.table = table
    self.primaryKey = primaryKey
    self.indexes = indexes
    self.number = TableNumbers.number(of: table)
    self.sql = EntitySQL(table: table, keyCount: primaryKey.count)
    self.keyReaders = primaryKey.map { PathReader(storedBy: $0.path) }
  }
}

/// A field that the store reads by itself.
public struct EntityField: Hashable, Sendable {
  /// As queries spell it after the type's name, for messages: `priority`, `equipped.as(Orb.self).name`.
  public let name: String
  /// Where its value is in the bytes.
  public let path: FieldPath

  /// A field.
  public init(_ name: String, _ path: FieldPath) {
    self.name = name
    self.path = path
  }
}

/// An index over a field.
public struct EntityIndex: Hashable, Sendable {
  /// What is indexed.
  public let field: EntityField
  /// Whether no two objects may have the same value; null is no value.
  public let isUnique: Bool

  /// An index over the field at a path.
  public init(_ name: String, _ path: FieldPath, isUnique: Bool = false) {
    self.field = EntityField(name, path)
    self.isUnique = isUnique
  }

  package var path: FieldPath { field.path }
}

/// Numbers for tables' names, the same for as long as the process lives.
enum TableNumbers {
  private static let numbers = Lock<[ByteText: Int]>([:])

  static func number(of table: String) -> Int {
    let table = ByteText(table)
    return numbers.withLock { numbers in
      if let found = numbers[table] { return found }
      numbers[table] = numbers.count
      return numbers.count - 1
    }
  }
}

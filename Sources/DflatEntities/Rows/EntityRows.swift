import DflatBuffers
import DflatCore
import DflatSQLite

/// Reads and finds the rows of a table on any connection.
package enum EntityRows {
  /// Returns the payload of a row, or nil if there is no such row.
  static func payload(of rowid: Int64, in entity: EntityDescription, on connection: Connection) throws -> [UInt8]? {
    try connection.reading(table: entity.table) {
      let statement = try connection.statement(entity.sql.load)
      statement.bind(rowid, at: 1)
      return try statement.firstRow { $0.withBytes(at: 0) { Array($0) } }
    }
  }

  /// Returns true if the row exists.
  static func contains(_ rowid: Int64, in entity: EntityDescription, on connection: Connection) throws -> Bool {
    let found = try connection.reading(table: entity.table) {
      let statement = try connection.statement(entity.sql.load)
      statement.bind(rowid, at: 1)
      return try statement.firstRow { _ in true }
    }
    return found ?? false
  }

  /// Lends `body` the row with a primary key of one field, if there is one.
  static func visit(
    _ key: QueryValue, in entity: EntityDescription, on connection: Connection,
    _ body: (_ rowid: Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    _ = try connection.reading(table: entity.table) {
      let statement = try connection.statement(entity.sql.find)
      try ColumnValue.bind(key, to: statement, at: 1)
      _ = try statement.firstRow { row in
        let rowid = row.int64(at: 0)
        try row.withBytes(at: 1) { try body(rowid, $0) }
      }
    }
  }

  /// Returns the row with a primary key, or nil if there is none.
  static func find(
    _ key: [QueryValue], in entity: EntityDescription, on connection: Connection
  ) throws -> (rowid: Int64, payload: [UInt8])? {
    try connection.reading(table: entity.table) {
      let statement = try connection.statement(entity.sql.find)
      for (index, value) in key.enumerated() { try ColumnValue.bind(value, to: statement, at: Int32(index) + 1) }
      return try statement.firstRow { ($0.int64(at: 0), $0.withBytes(at: 1) { Array($0) }) }
    }
  }

  /// Returns the row with an object's primary key, or nil if there is none.
  static func find<Element: Atom>(
    keyOf object: Element, on connection: Connection
  ) throws -> (rowid: Int64, payload: [UInt8])? {
    try find(try key(of: object), in: Element._entity, on: connection)
  }

  /// Returns the primary key in stored bytes.
  package static func key(in bytes: UnsafeRawBufferPointer, of entity: EntityDescription) throws -> [QueryValue] {
    try FlatBuffer.withUnverifiedRoot(in: bytes) { root in
      try entity.primaryKey.map { try $0.path.storedValue(in: root) }
    }
  }

  private static func key<Element: Atom>(of object: Element) throws -> [QueryValue] {
    try object.encoded().withUnsafeBytes { try key(in: $0, of: Element._entity) }
  }
}

import DflatBuffers
import DflatSQLite

/// Reads and finds the rows of a table, on whatever connection.
enum EntityRows {
  /// The payload of a row; nil when there is none.
  static func payload(of rowid: Int64, in entity: EntityDescription, on connection: Connection) throws -> [UInt8]? {
    try connection.reading(table: entity.table) {
      let statement = try connection.statement(entity.sql.load)
      statement.bind(rowid, at: 1)
      return try statement.firstRow { $0.withBytes(at: 0) { Array($0) } }
    }
  }

  /// Whether there is a row.
  static func contains(_ rowid: Int64, in entity: EntityDescription, on connection: Connection) throws -> Bool {
    let found = try connection.reading(table: entity.table) {
      let statement = try connection.statement(entity.sql.load)
      statement.bind(rowid, at: 1)
      return try statement.firstRow { _ in true }
    }
    return found ?? false
  }

  /// The row with a primary key; nil when there is none.
  static func find(
    _ key: [QueryValue], in entity: EntityDescription, on connection: Connection
  ) throws -> (rowid: Int64, payload: [UInt8])? {
    try connection.reading(table: entity.table) {
      let statement = try connection.statement(entity.sql.find)
      for (index, value) in key.enumerated() { try ColumnValue.bind(value, to: statement, at: Int32(index) + 1) }
      return try statement.firstRow { ($0.int64(at: 0), $0.withBytes(at: 1) { Array($0) }) }
    }
  }

  /// The row that has an object's primary key.
  static func find<Element: Atom>(
    keyOf object: Element, on connection: Connection
  ) throws -> (rowid: Int64, payload: [UInt8])? {
    try find(try key(of: object), in: Element._entity, on: connection)
  }

  /// The primary key in stored bytes.
  static func key(in bytes: UnsafeRawBufferPointer, of entity: EntityDescription) throws -> [QueryValue] {
    try FlatBuffer.withUnverifiedRoot(in: bytes) { root in
      try entity.primaryKey.map { try $0.path.storedValue(in: root) }
    }
  }

  private static func key<Element: Atom>(of object: Element) throws -> [QueryValue] {
    try object.encoded().withUnsafeBytes { try key(in: $0, of: Element._entity) }
  }
}

extension Atom {
  /// The object of stored bytes.
  ///
  /// - Throws: `FlatBufferError`, whatever the bytes are.
  static func stored(
    in bytes: UnsafeRawBufferPointer, _ identity: EntityIdentity
  ) throws(FlatBufferError) -> Self {
    let table = try FlatBufferVerifier().verify(root: flatBufferLayout, in: bytes)
    return try Self(table, identity: identity)
  }
}

extension Atom {
  /// The object's bytes.
  func encoded() throws(FlatBufferError) -> [UInt8] {
    try SpareBuilder.with { builder throws(FlatBufferError) in
      try encode(in: &builder)
      return builder.withFinishedBytes { Array($0) }
    }
  }

  /// Whether these are the bytes that the object is written as.
  func isEncoded(as bytes: [UInt8]) -> Bool {
    let isSame = try? SpareBuilder.with { builder throws(FlatBufferError) in
      try encode(in: &builder)
      return builder.withFinishedBytes { $0.isSame(as: bytes) }
    }
    return isSame == true
  }
}

extension WorkspaceError {
  /// The payload of a row is damaged, or not of its type.
  static func undecodable(_ cause: any Error, rowid: Int64, table: String, path: String) -> WorkspaceError {
    WorkspaceError(
      .undecodable, "Row \(rowid) of '\(table)' in '\(path)' can't be read; delete or replace the object.", path: path,
      underlying: cause)
  }
}

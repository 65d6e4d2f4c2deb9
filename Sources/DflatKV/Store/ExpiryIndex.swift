import DflatCore
package import DflatSQLite

/// The index by which expired values are found. A file has it once a value that expires was written to it
/// (`FileFormat.Features.expiringValues`).
enum ExpiryIndex {
  static let name = "dflat_expiry"
  static let definition = "CREATE INDEX dflat_expiry ON dictionary (substr(value, 1, 8)) WHERE type = 11"

  /// True for the rows in the index. SQLite uses it only for statements with the very condition and expression.
  static let condition = "type = 11"
  static let instant = "substr(value, 1, 8)"

  static func create(on connection: Connection) throws {
    if try !exists(on: connection) { try connection.changeSchema(definition) }
  }

  static func exists(on connection: Connection) throws -> Bool {
    let statement = try connection.statement(.expiryIndex)
    return try statement.firstRow { $0.int64(at: 0) != 0 } ?? false
  }

  /// Returns the first instant after another one at which a value expires; nil if there is none.
  static func next(after milliseconds: Int64 = -1, on connection: Connection) throws -> Expiration? {
    guard try FileFormat.features(on: connection).contains(.expiringValues) else { return nil }
    let statement = try connection.statement(.nextExpiration)
    // The instants are never negative, so all of them come after no bytes.
    let bound = milliseconds < 0 ? [] : Expiration(milliseconds: milliseconds).stored
    try bound.withUnsafeBytes { try statement.bind(blob: $0, at: 1) }
    let found = try statement.firstRow { row in row.withBytes(at: 0) { Expiration(stored: Array($0)) } }
    return found ?? nil
  }

  /// Returns keys with their namespaces, at most `limit` of them, whose values have expired at an instant.
  static func expired(
    at milliseconds: Int64, limit: Int = -1, on connection: Connection
  ) throws -> [(namespace: String, key: String)] {
    guard try FileFormat.features(on: connection).contains(.expiringValues) else { return [] }
    let statement = try connection.statement(.expiredKeys)
    try Expiration(milliseconds: milliseconds).stored.withUnsafeBytes { try statement.bind(blob: $0, at: 1) }
    statement.bind(Int64(limit), at: 2)
    var keys: [(String, String)] = []
    try statement.forEachRow { keys.append(($0.string(at: 0), $0.string(at: 1))) }
    return keys
  }
}

extension StoredValue {
  /// Prepares a file for rows of a type, which are written by SQL of another module. A write transaction is open.
  ///
  /// - Throws: `SQLiteError`.
  package static func announce(type: Int64, on connection: Connection) throws {
    switch UInt8(exactly: type).flatMap(TypeTag.init) {
    case .sealed: try FileFormat.announce(.sealedValues, on: connection)
    case .expiring:
      // The value in it may be sealed.
      try FileFormat.announce([.sealedValues, .expiringValues], on: connection)
      try ExpiryIndex.create(on: connection)
    case _: break
    }
  }
}

extension SQL {
  fileprivate static let expiryIndex = SQL(
    "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = '\(ExpiryIndex.name)')")
}

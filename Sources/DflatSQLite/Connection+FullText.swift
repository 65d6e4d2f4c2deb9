import CSQLite

extension Connection {
  /// Runs `body` while temporary tables may be created on a connection that only reads its file.
  package func withTemporaryTables<T>(_ body: () throws -> T) throws -> T {
    let isReadingOnly = try integer("PRAGMA query_only") == 1
    if isReadingOnly { try execute("PRAGMA query_only = 0") }
    defer {
      // Can't fail: it only changes a flag of the connection.
      if isReadingOnly { try? execute("PRAGMA query_only = 1") }
    }
    return try withoutAdmission(body)
  }

  /// Runs `body` while the tables that belong to a full-text index may be changed by themselves. Only a repair does so:
  /// SQLite can't drop an index whose tables are damaged.
  package func withoutTableProtection<T>(_ body: () throws -> T) throws -> T {
    _ = csqlite_set_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    defer { _ = csqlite_set_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }
    return try withoutAdmission(body)
  }
}

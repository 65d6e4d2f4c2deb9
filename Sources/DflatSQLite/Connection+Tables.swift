import DflatSupport

/// Returns a name as a quoted SQL identifier.
package func quoted(_ name: String) -> String {
  // Fast path: queries generate SQL each time they run.
  if !name.utf8.contains(UInt8(ascii: "\"")) { return "\"" + name + "\"" }
  return "\"" + name.replacingScalars { $0 == "\"" ? "\"\"" : nil } + "\""
}

extension Connection {
  /// Returns true if the table exists in the connection's current view.
  package func hasTable(_ name: String) throws -> Bool {
    let statement = try statement(.findTable)
    try statement.bind(name, at: 1)
    return try statement.hasRow()
  }

  /// Returns the result of `body`, which reads a table, or nil if there is no such table. Looks for the table only
  /// after an error, because it almost always exists.
  package func reading<T>(table: String, _ body: () throws -> T?) throws -> T? {
    do { return try body() } catch let error as SQLiteError where error.isStatementError {
      if try hasTable(table) { throw error }
      return nil
    }
  }
}

extension SQL {
  fileprivate static let findTable = SQL("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1")
}

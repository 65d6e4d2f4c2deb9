package import DflatSQLite

/// The SQL of one type's table. Where they have a rowid, it is parameter 1; the key's columns follow, then the payload.
package final class EntitySQL: Sendable {
  /// Makes the table. Not kept prepared.
  let create: String
  /// The highest rowid of the table.
  let highestRowid: String

  let insert: SQL
  let updatePayload: SQL
  let updateRow: SQL
  let delete: SQL
  let deleteAll: SQL
  /// The payload.
  let load: SQL
  /// Rowid and payload, by the key's columns from parameter 1.
  let find: SQL

  init(table name: String, keyCount: Int) {
    let table = quoted(name)
    let keys = (0..<keyCount).map { "__pk\($0)" }
    let names = keys.joined(separator: ", ")
    let payload = keyCount + 2
    create = TableFormat.entity(name, keyCount: keyCount).creatingIfMissing
    highestRowid = "SELECT max(rowid) FROM \(table)"
    let parameters = (1...payload).map { "?\($0)" }.joined(separator: ", ")
    insert = SQL("INSERT INTO \(table) (rowid, \(names), payload) VALUES (\(parameters))")
    updatePayload = SQL("UPDATE \(table) SET payload = ?2 WHERE rowid = ?1")
    let settings = keys.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")
    updateRow = SQL("UPDATE \(table) SET \(settings), payload = ?\(payload) WHERE rowid = ?1")
    delete = SQL("DELETE FROM \(table) WHERE rowid = ?1")
    deleteAll = SQL("DELETE FROM \(table)")
    load = SQL("SELECT payload FROM \(table) WHERE rowid = ?1")
    let conditions = keys.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
    find = SQL("SELECT rowid, payload FROM \(table) WHERE \(conditions)")
  }
}

/// The rowids that each table has given out: none is given twice, also when its row is gone.
extension SQL {
  static let createSequences = TableFormat.sequences.creatingIfMissing
  static let lastRowid = SQL("SELECT last_rowid FROM dflat_entity WHERE name = ?1")
  static let storeLastRowid = SQL("REPLACE INTO dflat_entity (name, last_rowid) VALUES (?1, ?2)")
}

extension String {
  /// The SQL that makes a table, unless there is one of that name.
  var creatingIfMissing: String { "CREATE TABLE IF NOT EXISTS" + dropFirst("CREATE TABLE".count) }
}

/// A name in SQL's quotes.
package func quoted(_ name: String) -> String {
  // Queries make SQL each time they run.
  if !name.utf8.contains(UInt8(ascii: "\"")) { return "\"" + name + "\"" }
  let escaped = name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
  return "\"\(escaped)\""
}

extension Connection {
  /// True when the table is there, in what the connection sees now.
  package func hasTable(_ name: String) throws -> Bool {
    let statement = try statement(.findTable)
    try statement.bind(name, at: 1)
    return try statement.hasRow()
  }

  /// What `body` reads of a table; nil when there is no such table yet. The table is not asked for first: it is there
  /// nearly always.
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

import DflatCore
import DflatSQLite
import DflatSupport

/// The SQL of one type's table. A rowid, if any, is parameter 1; the key columns follow, then the payload.
package final class EntitySQL: Sendable {
  /// Creates the table. Not cached as a prepared statement.
  let create: String
  /// Reads the highest rowid of the table.
  let highestRowid: String

  let insert: SQL
  let updatePayload: SQL
  let updateRow: SQL
  let delete: SQL
  let deleteAll: SQL
  /// Reads the payload.
  let load: SQL
  /// Reads rowid and payload by the key columns, from parameter 1.
  let find: SQL

  private struct Place: Hashable {
    let table: Int
    let keyCount: Int
  }

  private static let known = Lock<[Place: EntitySQL]>([:])

  /// Returns the SQL of a table. All descriptions of the table share it: each `SQL` has a place in the statement cache of
  /// every connection for good, and programs such as `kvtool web` describe a type for each request.
  static func of(_ table: String, keyCount: Int) -> EntitySQL {
    let place = Place(table: TableNumbers.number(of: table), keyCount: keyCount)
    return known.withLock { known in
      if let found = known[place] { return found }
      let made = EntitySQL(table: table, keyCount: keyCount)
      known[place] = made
      return made
    }
  }

  private init(table name: String, keyCount: Int) {
    let table = quoted(name)
    let keys = StoredNames.keyColumns(keyCount)
    let names = keys.joined(separator: ", ")
    let payload = keyCount + 2
    create = EntityTableFormat.entity(name, keyCount: keyCount).creatingIfMissing
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

/// The SQL of the sequences: the highest rowid that each table has assigned. No rowid is assigned twice, even after its
/// row is deleted.
extension SQL {
  static let createSequences = EntityTableFormat.sequences.creatingIfMissing
  static let lastRowid = SQL("SELECT last_rowid FROM dflat_entity WHERE name = ?1")
  static let storeLastRowid = SQL("REPLACE INTO dflat_entity (name, last_rowid) VALUES (?1, ?2)")
}

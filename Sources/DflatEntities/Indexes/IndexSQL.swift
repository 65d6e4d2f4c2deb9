import DflatCore
import DflatSQLite
import DflatSupport

/// The SQL of the file's list of indexes.
///
/// `definition` has the paths (`IndexPaths.definition`). The index has the rows up to `filled_to` and those after
/// `last`, the highest row when the index was created: every writer writes to every index of the file. `checked` is 1
/// while the values are known to be unique, and another number while a program checks this. A program whose schema
/// doesn't declare the index unique sets it to 0 before it writes.
extension SQL {
  private static let indexList = IndexTableFormat.listName

  static let hasIndexList = SQL("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\(indexList)'")
  static let indexesOfTable = SQL(
    "SELECT path, definition, filled_to, last, checked FROM \(indexList) WHERE table_name = ?1 ORDER BY path")
  static let addIndex = SQL(
    """
    INSERT INTO \(indexList) (table_name, path, definition, filled_to, last, checked) VALUES (?1, ?2, ?3, 0, ?4, ?5)
    """)
  static let recordProgress = SQL(
    "UPDATE \(indexList) SET filled_to = ?3, checked = 0 WHERE table_name = ?1 AND path = ?2")
  static let markChecked = SQL("UPDATE \(indexList) SET checked = ?3 WHERE table_name = ?1 AND path = ?2")
  static let removeIndex = SQL("DELETE FROM \(indexList) WHERE table_name = ?1 AND path = ?2")
}

/// The SQL that contains the names of a table and an index. The tables of indexes are defined by `IndexTableFormat`.
enum IndexSQL {
  static let makeList = IndexTableFormat.list.creatingIfMissing

  /// Returns the statements that make an index.
  ///
  /// - Parameter isThere: True if its table is there: nothing uses an index that isn't in the list, so it is dropped.
  static func make(_ table: String, _ path: String, replacing isThere: Bool) -> String {
    let name = StoredNames.indexTable(of: table, path: path)
    let parts = parts(table, path)
    return """
      \(isThere ? "DROP TABLE \(index(table, path));" : "") DROP INDEX IF EXISTS \(quoted(StoredNames.index(on: name)));
      \(parts.table); \(parts.index)
      """
  }

  /// Returns the statements that create an index, as SQLite stores them in its schema.
  static func parts(_ table: String, _ path: String) -> (table: String, index: String) {
    let name = StoredNames.indexTable(of: table, path: path)
    return (IndexTableFormat.table(name, path: path), IndexTableFormat.index(name, path: path))
  }

  static func drop(_ table: String, _ path: String) -> String { "DROP TABLE \(index(table, path))" }

  /// Stores a row: parameter 1 is the rowid, and the values follow.
  static func store(_ table: String, _ path: String) -> String {
    let columns = columns(path)
    let parameters = columns.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
    return "REPLACE INTO \(index(table, path)) (rowid, \(columns.joined(separator: ", "))) VALUES (?1, \(parameters))"
  }

  static func delete(_ table: String, _ path: String) -> String {
    "DELETE FROM \(index(table, path)) WHERE rowid = ?1"
  }

  static func deleteAll(_ table: String, _ path: String) -> String { "DELETE FROM \(index(table, path))" }

  /// Finds a row other than parameter 1 with values, which follow.
  static func find(_ table: String, _ path: String) -> String {
    let conditions = columns(path).enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: " AND ")
    return "SELECT rowid FROM \(index(table, path)) WHERE \(conditions) AND rowid <> ?1 LIMIT 1"
  }

  /// Selects the rows after one rowid and up to another.
  static func rows(of table: String) -> String {
    "SELECT rowid, payload FROM \(quoted(table)) WHERE rowid > ?1 AND rowid <= ?2 ORDER BY rowid"
  }

  /// Selects the rows of an index after one, each with the first row that has the same values. NaN, a blob, equals
  /// nothing.
  static func duplicates(_ table: String, _ path: String) -> String {
    let conditions = columns(path).map { "b.\($0) = a.\($0) AND typeof(a.\($0)) <> 'blob'" }
    return """
      SELECT a.rowid, (SELECT b.rowid FROM \(index(table, path)) AS b
        WHERE \(conditions.joined(separator: " AND ")) ORDER BY b.rowid LIMIT 1)
      FROM \(index(table, path)) AS a WHERE a.rowid > ?1 ORDER BY a.rowid LIMIT ?2
      """
  }

  /// Selects a row if the index has any values more than once.
  static func anyDuplicate(_ table: String, _ path: String) -> String {
    let columns = columns(path)
    let conditions = columns.map { "\($0) IS NOT NULL AND typeof(\($0)) <> 'blob'" }
    return """
      SELECT 1 FROM \(index(table, path)) WHERE \(conditions.joined(separator: " AND "))
      GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1
      """
  }

  /// Selects every row of a table with its row in the index.
  static func compared(_ table: String, _ path: String) -> String {
    let columns = columns(path).map { "i.\($0)" }.joined(separator: ", ")
    return """
      SELECT t.rowid, t.payload, i.rowid, \(columns) FROM \(quoted(table)) AS t
      LEFT JOIN \(index(table, path)) AS i ON i.rowid = t.rowid ORDER BY t.rowid
      """
  }

  /// Selects the rows of an index that its table lacks.
  static func extra(_ table: String, _ path: String) -> String {
    """
    SELECT i.rowid FROM \(index(table, path)) AS i
    WHERE NOT EXISTS (SELECT 1 FROM \(quoted(table)) AS t WHERE t.rowid = i.rowid) ORDER BY i.rowid
    """
  }

  private static func index(_ table: String, _ path: String) -> String {
    quoted(StoredNames.indexTable(of: table, path: path))
  }

  /// Returns the index's columns but the rowid.
  private static func columns(_ path: String) -> [String] { StoredNames.indexColumns(ofPath: path).map(quoted) }
}

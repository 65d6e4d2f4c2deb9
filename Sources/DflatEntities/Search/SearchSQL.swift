import DflatSQLite

/// The SQL of one full-text index. Its rowids are those of the objects.
struct SearchSQL {
  let fields: SearchFields
  /// The name of the index's table.
  let name: String

  init(_ fields: SearchFields, of table: String) {
    self.fields = fields
    name = fields.table(of: table)
  }

  private var table: String { quoted(name) }

  /// Selects the rowids that match the expression of parameter 1, in no guaranteed order.
  var match: String { "SELECT rowid FROM \(table) WHERE \(table) MATCH ?1" }

  var count: String { "SELECT count(*) FROM \(table) WHERE \(table) MATCH ?1" }

  /// Selects the rowids that match an expression, those that match best first.
  var ranked: String { "\(match) ORDER BY bm25(\(table)), rowid" }

  /// Selects the rowids that match an expression, and numbers that are the lower the better a row matches.
  var ranks: String { "SELECT rowid, bm25(\(table)) FROM \(table) WHERE \(table) MATCH ?1" }

  /// Inserts or replaces a row: the rowid, then a text for each field.
  var store: String {
    let names = fields.columns.map(quoted).joined(separator: ", ")
    let parameters = fields.paths.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
    return "REPLACE INTO \(table) (rowid, \(names)) VALUES (?1, \(parameters))"
  }

  /// Inserts a row into a temporary index, which can't replace rows.
  var insert: String { "INSERT" + store.dropFirst("REPLACE".count) }

  var delete: String { "DELETE FROM \(table) WHERE rowid = ?1" }

  var deleteAll: String { "DELETE FROM \(table)" }

  /// Makes FTS5 compare the index with its own copy of the texts.
  var check: String { "INSERT INTO \(table) (\(table)) VALUES ('integrity-check')" }

  /// Selects every row of the type's table with its row in the index.
  func compared(with entity: String) -> String {
    let names = fields.columns.map { ", i.\(quoted($0))" }.joined()
    return """
      SELECT t.rowid, t.payload, i.rowid\(names) FROM \(quoted(entity)) AS t
      LEFT JOIN \(table) AS i ON i.rowid = t.rowid ORDER BY t.rowid
      """
  }

  /// Selects the rows of the index that the type's table lacks.
  func extra(to entity: String) -> String {
    """
    SELECT i.rowid FROM \(table) AS i
    WHERE NOT EXISTS (SELECT 1 FROM \(quoted(entity)) AS t WHERE t.rowid = i.rowid) ORDER BY i.rowid
    """
  }
}

extension Connection {
  /// Returns a statement on a full-text index, after a check of the index's tables, which is repeated once the schema
  /// has changed.
  ///
  /// - Throws: `SQLiteError`; `WorkspaceError` with code `.corrupt` if a table is not as documented, and with code
  ///   `.searchUnavailable` if SQLite has no full-text search.
  func searchStatement(_ text: String, on name: String) throws -> Statement {
    try admitSearch(name)
    return try statement(text: text, usesVirtualTables: true)
  }

  func admitSearch(_ name: String) throws {
    try SearchEvaluator.requireAvailable(path: path)
    try admit(SearchTableFormat.tables(of: name))
  }
}

import DflatBuffers
import DflatCore
import DflatSQLite
import DflatSupport

/// Builds a full-text index again. Runs in a group, which undoes everything if a step fails.
struct SearchRepair {
  private let fields: SearchFields
  private let table: String
  private let name: String
  private let connection: Connection

  init(_ fields: SearchFields, of table: String, on connection: Connection) {
    self.fields = fields
    self.table = table
    self.connection = connection
    name = fields.table(of: table)
  }

  /// Replaces the index's tables by empty ones.
  ///
  /// - Throws: `SQLiteError`, and `WorkspaceError` with code `.corrupt`, if something else has one of their names.
  func makeTables() throws {
    if try SearchTableFormat.isSearchTable(name, on: connection) { try mendOwnTables() }
    try IndexCatalog.makeTables(fields, of: table, on: connection)
  }

  /// Makes SQLite's module able to open the index, which it has to do before it drops the index.
  private func mendOwnTables() throws {
    try connection.withoutTableProtection {
      for suffix in SearchTableFormat.suffixes {
        let table = "\(name)_\(suffix)"
        let sql = SearchTableFormat.ownTable(name, suffix, columnCount: fields.paths.count)
        let found = try TableFormat.entries(named: table, on: connection)
        if found.count == 1, found[0].type == "table", TableFormat.isSame(found[0].sql, sql),
          try SearchTableFormat.isOwnTableSound(table, on: connection)
        {
          continue
        }
        for entry in found { try connection.changeSchema("DROP \(entry.type) \(quoted(table))") }
        try connection.changeSchema(sql)
      }
      // The rows of an empty index. SQLite's module reads them as soon as it opens the index.
      let (config, data) = (quoted(name + "_config"), quoted(name + "_data"))
      try connection.changeSchema(
        """
        DELETE FROM \(config); INSERT INTO \(config) VALUES ('version', 4);
        DELETE FROM \(data); INSERT INTO \(data) VALUES (1, x''), (10, x'00000000000000')
        """)
    }
  }

  /// Adds the texts of all rows. Returns the number of rows.
  func fill() throws -> Int {
    let search = MaintainedSearch(fields, of: table, on: connection)
    let rows = try connection.prepare("SELECT rowid, payload FROM \(quoted(table)) ORDER BY rowid")
    var count = 0
    try rows.forEachRow { row in
      // A damaged row has no texts.
      try row.withBytes(at: 1) { try search.store(row.int64(at: 0), try? FlatBufferTable(rootOf: $0)) }
      count += 1
    }
    return count
  }
}

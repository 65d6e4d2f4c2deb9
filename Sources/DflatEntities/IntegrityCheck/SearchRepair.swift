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
    try Self.mendOwnTables(of: name, on: connection)
    try IndexCatalog.makeTables(fields, of: table, on: connection)
  }

  /// Makes SQLite's module able to open a full-text index, which it has to do before it drops the index. Empties the
  /// index. Does nothing to any other table.
  ///
  /// - Throws: `SQLiteError`; `WorkspaceError` with code `.corrupt` if something that can't be dropped safely has the
  ///   name of one of the module's own tables.
  static func mendOwnTables(of name: String, on connection: Connection) throws {
    guard try SearchTableFormat.isSearchTable(name, on: connection),
      let columnCount = SearchTableFormat.place(of: name)?.columns.count
    else { return }
    try connection.withoutTableProtection {
      for suffix in SearchTableFormat.suffixes {
        let table = "\(name)_\(suffix)"
        if try SearchTableFormat.isOwnTableSound(table, on: connection) { continue }
        // Replace a damaged table by an empty one: the index is rebuilt from the objects afterwards.
        for entry in try TableFormat.entries(named: table, on: connection) {
          try drop(entry, named: table, on: connection)
        }
        try connection.changeSchema(SearchTableFormat.ownTable(name, suffix, columnCount: columnCount))
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

  /// Drops a table or view that has the name of one of the module's own tables.
  private static func drop(_ entry: (type: String, sql: String), named name: String, on connection: Connection) throws {
    switch entry.type {
    case "table":
      // Throws for a virtual table: dropping it would run its module.
      _ = try connection.prepare("SELECT 1 FROM \(quoted(name))")
      try connection.changeSchema("DROP TABLE \(quoted(name))")
    case "view": try connection.changeSchema("DROP VIEW \(quoted(name))")
    default: throw TableFormat.damage(name, "is not defined as this format requires", connection)
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

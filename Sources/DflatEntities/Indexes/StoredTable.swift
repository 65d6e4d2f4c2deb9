package import DflatCore
import DflatSQLite
import DflatSupport

/// A table of objects, as the file describes it.
package struct StoredTable: Sendable {
  /// An index of the table.
  package struct Index: Sendable {
    /// The name in the file: `f6`, `f6+f10`.
    package let name: String
    /// True if it has every object of the table, so that queries use it.
    package let isComplete: Bool
  }

  package let name: String
  /// The canonical text of the newest schema with which a program has written objects (`SchemaText`). Nil if none of
  /// the programs had one, or if the text is damaged.
  package let schema: String?
  /// The number of objects; nil unless they were counted.
  package let count: Int?
  /// The indexes, in the order of their names, without full-text indexes.
  package let indexes: [Index]
  /// True if the table has a complete full-text index; nil if it has none.
  package let isSearchComplete: Bool?

  package init(name: String, schema: String?, count: Int?, indexes: [Index], isSearchComplete: Bool?) {
    self.name = name
    self.schema = schema
    self.count = count
    self.indexes = indexes
    self.isSearchComplete = isSearchComplete
  }
}

extension SQLiteWorkspace {
  /// Returns the file's tables of objects, in the order of their names.
  ///
  /// Reads the newest commit, or inside a snapshot the snapshot's commit, and blocks the calling thread meanwhile.
  ///
  /// - Parameter counts: True to count the objects, row by row.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.shutdown` after shutdown, or one of the errors of
  ///   `SQLiteWorkspace.open(filePath:options:)` if the file can't be opened or read; `.corrupt` also if a table hasn't
  ///   the format's columns.
  package func storedTables(counting counts: Bool = false) throws -> [StoredTable] {
    try core.readingActivity {
      try core.withCurrentView { connection, _ in
        try StoredTable.tables(connection.entityTables(), counting: counts, on: connection)
      } ?? []
    }
  }
}

extension StoredTable {
  fileprivate static func tables(
    _ names: [String], counting counts: Bool, on connection: Connection
  ) throws -> [StoredTable] {
    var schemas: [ByteComparedString: String] = [:]
    try SchemaList.forEachRow(on: connection) { schemas[ByteComparedString($0.name)] = $0.text }
    return try names.filter { try EntityTableFormat.requireSound($0, on: connection) }.map { name in
      let entries = try IndexCatalog.entries(of: name, on: connection)
      return StoredTable(
        name: name, schema: schemas[ByteComparedString(name)],
        count: counts ? try connection.rowCount(of: name).rows : nil,
        indexes: entries.filter { $0.search == nil }.map { Index(name: $0.path, isComplete: $0.isComplete) },
        isSearchComplete: entries.first { $0.search != nil }.map { $0.isComplete })
    }
  }
}

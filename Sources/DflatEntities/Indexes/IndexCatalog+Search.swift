import DflatCore
import DflatSQLite
import DflatSupport

/// Full-text indexes. They are in the same list as other indexes, and are created, filled and dropped as these are.
extension IndexCatalog {
  /// Returns true if the type's full-text index is complete, so that a query may use it.
  static func isComplete(_ fields: SearchFields, of entity: EntityDescription, on connection: Connection) throws -> Bool
  {
    try entries(of: entity, on: connection).contains { $0.isOver(fields) && $0.isComplete }
  }

  /// Returns the table's full-text indexes that `maintained` has found, for a writer to maintain. Valid as long as its
  /// result.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.searchUnavailable` if there is one, and this process's SQLite
  ///   library has no full-text search.
  static func maintainedSearches(
    over fields: [SearchFields], of entity: EntityDescription, on connection: Connection, path: String
  ) throws -> [MaintainedSearch] {
    if !fields.isEmpty { try SearchEvaluator.requireAvailable(path: path) }
    return fields.map { MaintainedSearch($0, of: entity.table, on: connection) }
  }

  /// Creates a full-text index, unless the file has an index with its name. It has to be filled, unless the table is
  /// empty.
  static func make(_ fields: SearchFields, of entity: EntityDescription, on connection: Connection) throws {
    let name = fields.name
    if try entries(of: entity, on: connection).contains(where: { $0.isNamed(name) }) { return }
    defer { connection.dropCatalogs() }
    try makeTables(fields, of: entity.table, on: connection)
    try connection.changeSchema(IndexSQL.makeList)
    let last = try connection.integer(entity.sql.highestRowid)
    let statement = try connection.statement(.addIndex)
    try statement.bind(entity.table, at: 1)
    try statement.bind(name, at: 2)
    try statement.bind(fields.definition, at: 3)
    statement.bind(last, at: 4)
    statement.bind(IndexEntry.unchecked, at: 5)
    try statement.run()
  }

  /// Creates the tables of a full-text index. Replaces those of one that isn't in the list.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.corrupt` if another table has one of their names.
  static func makeTables(_ fields: SearchFields, of table: String, on connection: Connection) throws {
    try removeTables(of: fields, of: table, on: connection)
    try connection.changeSchema(SearchTableFormat.table(fields.table(of: table), columns: fields.columns))
  }

  /// Drops the tables of a full-text index that isn't in the list.
  ///
  /// - Throws: As `makeTables`.
  static func removeTables(of fields: SearchFields, of table: String, on connection: Connection) throws {
    let name = fields.table(of: table)
    if try SearchTableFormat.isSearchTable(name, on: connection) {
      // The module reads its own tables before it drops them.
      try connection.admitSearch(name)
      try connection.changeSchema("DROP TABLE \(quoted(name))")
    }
    // Tables that the module has left over, or any others.
    for name in SearchTableFormat.tables(of: name) {
      let found = try TableFormat.entries(named: name, on: connection)
      guard let entry = found.first else { continue }
      guard found.count == 1, entry.type == "table", SearchTableFormat.indexes(ofTable: name, entry.sql) != nil else {
        throw WorkspaceError(
          .corrupt, "'\(connection.path)' has a table '\(name)' that is not a full-text index; restore a backup.",
          path: connection.path)
      }
      try connection.changeSchema("DROP TABLE \(quoted(name))")
    }
  }
}

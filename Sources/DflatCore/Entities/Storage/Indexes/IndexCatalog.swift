import DflatSQLite

/// The indexes of a file.
enum IndexCatalog {
  /// The indexes of a table that the file has.
  static func maintained(
    of entity: EntityDescription, on connection: Connection, core: WorkspaceCore
  ) throws -> [MaintainedIndex] {
    try entity.indexes.compactMap { index in
      let sql = IndexSQL(table: entity.table, path: index.path.name)
      return try connection.hasTable(sql.name) ? MaintainedIndex(index, of: entity.table, on: connection) : nil
    }
  }

  /// Makes the indexes of a table that was just made and has no rows: they are complete.
  static func create(for entity: EntityDescription, on connection: Connection) throws {
    for index in entity.indexes {
      try connection.execute(IndexSQL(table: entity.table, path: index.path.name).create)
    }
  }
}

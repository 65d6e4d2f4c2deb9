import DflatCore
import DflatSQLite
import DflatSupport

/// Changes of the list of indexes. Each is a part of a group and is undone with it. It invalidates the connection's
/// schema cache.
extension IndexCatalog {
  /// Creates the indexes of a table that has just been created. They are complete.
  static func create(for entity: EntityDescription, on connection: Connection) throws {
    for index in entity.indexes { try make(index, of: entity, on: connection) }
    if let search = entity.search, SearchEvaluator.isAvailable { try make(search, of: entity, on: connection) }
  }

  /// Creates an index, unless the file has one with its name. It has to be filled, unless the table is empty.
  static func make(_ index: EntityIndex, of entity: EntityDescription, on connection: Connection) throws {
    let name = index.paths.name
    if try entries(of: entity, on: connection).contains(where: { $0.isNamed(name) }) { return }
    defer { connection.dropCatalogs() }
    // An index table that isn't in the list is unused, and is created again. Any other table with its name must not be
    // dropped.
    let table = StoredNames.indexTable(of: entity.table, path: name)
    let isThere = try connection.hasTable(table)
    if isThere, try !IndexTableFormat.isIndexTable(table, path: name, on: connection) {
      throw WorkspaceError(
        .corrupt, "'\(connection.path)' has a table '\(table)' that is not an index; restore a backup.",
        path: connection.path)
    }
    // Create the index and its row in the list.
    try connection.changeSchema(IndexSQL.makeList)
    let last = try connection.integer(entity.sql.highestRowid)
    try connection.changeSchema(IndexSQL.make(entity.table, name, replacing: isThere))
    let statement = try connection.statement(.addIndex)
    try statement.bind(entity.table, at: 1)
    try statement.bind(name, at: 2)
    try statement.bind(index.paths.definition, at: 3)
    statement.bind(last, at: 4)
    statement.bind(last == 0 && index.isUnique ? IndexEntry.checked : IndexEntry.unchecked, at: 5)
    try statement.run()
  }

  /// Records that the rows up to `rowid` are in an index, and that its values have not been checked for duplicates.
  static func recordProgress(of path: String, of table: String, to rowid: Int64, on connection: Connection) throws {
    let statement = try connection.statement(.recordProgress)
    statement.bind(rowid, at: 3)
    try run(statement, path, of: table, on: connection)
  }

  /// Records the state of an index's uniqueness check (`IndexEntry.check`).
  static func markCheck(
    _ check: Int64, _ path: String, of table: String, on connection: Connection
  ) throws {
    let statement = try connection.statement(.markChecked)
    statement.bind(check, at: 3)
    try run(statement, path, of: table, on: connection)
  }

  /// Drops an index.
  static func drop(_ path: String, of entity: EntityDescription, on connection: Connection) throws {
    // SQLite's module reads the tables of a full-text index before it drops them.
    let name = StoredNames.indexTable(of: entity.table, path: path)
    if try SearchTableFormat.isSearchTable(name, on: connection) { try connection.admitSearch(name) }
    try connection.changeSchema(IndexSQL.drop(entity.table, path))
    try run(try connection.statement(.removeIndex), path, of: entity.table, on: connection)
  }

  private static func run(
    _ statement: Statement, _ path: String, of table: String, on connection: Connection
  ) throws {
    defer { connection.dropCatalogs() }
    try statement.bind(table, at: 1)
    try statement.bind(path, at: 2)
    try statement.run()
  }
}

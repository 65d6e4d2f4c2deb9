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
    try removeLeftover(of: index, of: entity.table, on: connection)
    // Create the index and its row in the list.
    try connection.changeSchema(IndexSQL.makeList)
    let last = try connection.integer(entity.sql.highestRowid)
    try connection.changeSchema(IndexSQL.make(entity.table, name, replacing: false))
    let statement = try connection.statement(.addIndex)
    try statement.bind(entity.table, at: 1)
    try statement.bind(name, at: 2)
    try statement.bind(index.paths.definition, at: 3)
    statement.bind(last, at: 4)
    statement.bind(last == 0 && index.isUnique ? IndexEntry.checked : IndexEntry.unchecked, at: 5)
    try statement.run()
  }

  /// Drops the tables of indexes that the list lacks and the first write to a table is about to create.
  ///
  /// `make` would drop them, too. But a savepoint in which a table was dropped must not be undone while changes are
  /// recorded (`ChangeRecorder`), and a refused write undoes what it has created.
  ///
  /// - Parameter isNew: True if the table itself is about to be created, with all indexes of the type.
  static func removeLeftovers(of entity: EntityDescription, isNew: Bool, on connection: Connection) throws {
    let entries = try entries(of: entity, on: connection)
    for index in entity.indexes where isNew || index.isUnique {
      if entries.contains(where: { $0.isNamed(index.storedName) }) { continue }
      try removeLeftover(of: index, of: entity.table, on: connection)
    }
    guard isNew, let search = entity.search, SearchEvaluator.isAvailable,
      !entries.contains(where: { $0.isNamed(search.name) })
    else { return }
    try removeTables(of: search, of: entity.table, on: connection)
  }

  /// Drops an index table that isn't in the list, and so is unused.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.corrupt` if another table has its name.
  private static func removeLeftover(of index: EntityIndex, of table: String, on connection: Connection) throws {
    let path = index.paths.name
    let name = StoredNames.indexTable(of: table, path: path)
    guard try connection.hasTable(name) else { return }
    guard try IndexTableFormat.isIndexTable(name, path: path, on: connection) else {
      throw WorkspaceError(
        .corrupt, "'\(connection.path)' has a table '\(name)' that is not an index; restore a backup.",
        path: connection.path)
    }
    try connection.changeSchema(IndexSQL.drop(table, path))
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

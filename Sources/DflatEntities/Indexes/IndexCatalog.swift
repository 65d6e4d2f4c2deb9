import DflatCore
import DflatSQLite
import DflatSupport

/// The list of the file's indexes, as one connection shows it.
///
/// Programs with different schemas share a file. Therefore the file lists its indexes, with the location of their
/// values in the bytes, and every writer maintains all of them. A schema only says which indexes it wants. An index is
/// *complete* if it has every row of its table. Queries use complete indexes only.
enum IndexCatalog {
  /// Returns true if the index is complete, so that a query may use it.
  ///
  /// Runs on the connection's thread, in a transaction or a read view. Reads the list once for each state of it that
  /// the connection shows (`CatalogVersion`); later calls run no SQL.
  static func isComplete(_ index: EntityIndex, of entity: EntityDescription, on connection: Connection) throws -> Bool {
    let table = try indexes(of: entity, on: connection)
    if let known = table.complete[index] { return known }
    let isComplete = table.entries.first { $0.isOver(index.paths) }?.isComplete ?? false
    table.complete[index] = isComplete
    return isComplete
  }

  /// Returns all of the table's indexes in the file, for a writer to maintain, including those that the program's
  /// schema doesn't have. First creates the unique indexes that the schema wants and the file lacks, since they find
  /// duplicates.
  ///
  /// Called by the holder of the write token. The result is valid until its transaction ends or is partly undone.
  ///
  /// - Parameters:
  ///   - entity: The type.
  ///   - connection: The connection of the open group.
  ///   - path: The workspace's path, for messages.
  ///   - filling: Completes the unique indexes that are partial, and checks those that are unchecked. It creates those
  ///     that were created here, too, if the transaction undoes that.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.newerFormat` if a newer program created an index that this one
  ///   can't maintain.
  static func maintained(
    of entity: EntityDescription, on connection: Connection, path: String, filling: BackgroundIndexFiller
  ) throws -> KeptIndexes {
    let known = try indexes(of: entity, on: connection).kept[ObjectIdentifier(entity)]
    let kept = try known ?? adapted(to: entity, on: connection, path: path)
    for (index, isComplete) in kept.unfinished {
      filling.want(.init(entity: entity, index: index), isComplete: isComplete)
    }
    return kept
  }

  /// Adapts the table's indexes to a type, and returns those to maintain.
  private static func adapted(
    to entity: EntityDescription, on connection: Connection, path: String
  ) throws -> KeptIndexes {
    var table = try indexes(of: entity, on: connection)
    if connection.isWriting {
      try adapt(table.entries, to: entity, on: connection)
      table = try indexes(of: entity, on: connection)
    }
    if let kept = table.kept[ObjectIdentifier(entity)] { return kept }
    let kept = try keep(table.entries, of: entity, on: connection, path: path)
    if table.kept.count >= TableIndexes.maximumKept { table.kept = [:] }
    table.kept[ObjectIdentifier(entity)] = kept
    return kept
  }

  /// Creates the schema's unique indexes that the file lacks. Ends the uniqueness checks of indexes that the schema
  /// doesn't declare unique.
  private static func adapt(
    _ entries: [IndexEntry], to entity: EntityDescription, on connection: Connection
  ) throws {
    for index in entity.indexes where index.isUnique && !entries.contains(where: { $0.isNamed(index.storedName) }) {
      try make(index, of: entity, on: connection)
    }
    for entry in entries where entry.check != IndexEntry.unchecked {
      if entity.indexes.contains(where: { $0.isUnique && entry.isOver($0.paths) }) { continue }
      try markCheck(IndexEntry.unchecked, entry.path, of: entity.table, on: connection)
    }
  }

  private static func keep(
    _ entries: [IndexEntry], of entity: EntityDescription, on connection: Connection, path: String
  ) throws -> KeptIndexes {
    var kept = KeptIndexes(entity: entity)
    kept.searches = entries.compactMap(\.search)
    kept.indexes = try entries.filter { $0.search == nil }.map { entry in
      guard let paths = IndexPaths(definition: entry.definition),
        paths.fields.count == StoredNames.indexColumns(ofPath: entry.path).count
      else {
        throw WorkspaceError(
          .newerFormat,
          "A newer program created the index '\(entry.path)' of '\(entity.table)' in '\(path)', which this program "
            + "can't maintain; update the program.", path: path)
      }
      let index = entity.indexes.first { entry.isOver($0.paths) }
      return MaintainedIndex(entry, table: entity.table, paths: paths, index: index, on: connection)
    }
    for index in entity.indexes where index.isUnique {
      guard let entry = entries.first(where: { $0.isOver(index.paths) }) else {
        kept.indexes.append(MaintainedIndex(displaced: index, table: entity.table, on: connection))
        continue
      }
      // Finding duplicates in a partial index means reading rows, so fill it. Check the values of a complete one: a
      // program whose schema doesn't declare it unique may have filled it.
      if !entry.isComplete || !entry.isChecked { kept.unfinished.append((index, entry.isComplete)) }
    }
    return kept
  }

  /// Returns the table's indexes that the file lists, in the order of the paths' names.
  static func entries(of entity: EntityDescription, on connection: Connection) throws -> [IndexEntry] {
    try indexes(of: entity, on: connection).entries
  }

  private static func indexes(of entity: EntityDescription, on connection: Connection) throws -> TableIndexes {
    let version = CatalogVersion.of(connection)
    let known = connection.schemaCache.state(orAdding: IndexCache())
    let found = known.tables[entity.number]
    if let found, found.version == version, version != nil { return found }
    let entries = try read(entity.table, on: connection, known)
    // Keep the prepared statements if nothing has changed.
    let table = found.flatMap { $0.entries == entries ? $0 : nil } ?? TableIndexes(entries: entries)
    table.version = version
    known.tables[entity.number] = table
    return table
  }

  /// Reads the table's indexes that the file lists, without the cache.
  static func entries(of table: String, on connection: Connection) throws -> [IndexEntry] {
    try read(table, on: connection, IndexCache())
  }

  private static func read(_ table: String, on connection: Connection, _ known: IndexCache) throws -> [IndexEntry] {
    if !known.hasList {
      known.hasList = try connection.statement(.hasIndexList).hasRow()
    }
    guard known.hasList else { return [] }
    let statement = try connection.statement(.indexesOfTable)
    try statement.bind(table, at: 1)
    var entries: [IndexEntry] = []
    try statement.forEachRow { row in
      entries.append(
        IndexEntry(
          path: row.string(at: 0), definition: row.string(at: 1), filledTo: row.int64(at: 2), last: row.int64(at: 3),
          check: row.int64(at: 4)))
    }
    return entries
  }
}

/// The indexes' part of a connection's schema cache.
private final class IndexCache {
  /// True once the list exists. No commit drops the list, and a rollback drops the whole cache.
  var hasList = false
  /// The tables, by their numbers.
  var tables: [Int: TableIndexes] = [:]
}

private final class TableIndexes {
  /// The maximum number of descriptions in `kept`. Few programs have several types of one table, but some describe a type
  /// again and again.
  static let maximumKept = 16

  let entries: [IndexEntry]
  /// The version at which the entries were last read.
  var version: CatalogVersion?
  var complete: [EntityIndex: Bool] = [:]
  /// The maintained indexes by description: types of one table may differ in their indexes.
  var kept: [ObjectIdentifier: KeptIndexes] = [:]

  init(entries: [IndexEntry]) { self.entries = entries }
}

/// The indexes of one table that a writer maintains.
struct KeptIndexes {
  /// The type. Kept because its identity finds this value.
  let entity: EntityDescription
  var indexes: [MaintainedIndex] = []
  /// The fields of the full-text indexes.
  var searches: [SearchFields] = []
  /// The unique indexes that are partial, or complete and not yet checked for duplicates.
  var unfinished: [(index: EntityIndex, isComplete: Bool)] = []
}

import DflatSQLite

/// The indexes that the file has, as one connection shows them.
///
/// Programs with different schemas share a file. So it is the file that says which indexes there are and where their values
/// are in the bytes, and every writer keeps all of them; a schema says which of them it wants. An index is *complete* when
/// each row of its table is in it. A missing or partial one is, to a query, as if there were none.
enum IndexCatalog {
  /// True when a query may use the index.
  ///
  /// Threads: the connection's, inside a transaction or a read view. It is read once for each commit that the connection
  /// shows; asking again costs no SQL.
  static func isComplete(
    _ index: EntityIndex, of entity: EntityDescription, on connection: Connection, core: WorkspaceCore
  ) throws -> Bool {
    let table = try indexes(of: entity, on: connection)
    if let known = table.complete[index] { return known }
    let isComplete = table.entries.first { $0.isOver(index.path) }?.isComplete ?? false
    table.complete[index] = isComplete
    return isComplete
  }

  /// A query would have used the index, had it been complete: it is made and filled in the background.
  static func want(_ index: EntityIndex, of entity: EntityDescription, core: WorkspaceCore) {
    EntityStore.of(core).filling.want(.init(entity: entity, index: index))
  }

  /// All indexes of the table that the file has, for a writer to keep: those too that the program's schema doesn't know.
  /// A unique one that the schema wants and the file lacks is made first, since it is what finds duplicates.
  ///
  /// Threads: the baton's holder, in each submission; the result is not to be kept for longer.
  /// - Throws: `.newerFormat` when a newer program made an index that this one can't keep.
  static func maintained(
    of entity: EntityDescription, on connection: Connection, core: WorkspaceCore
  ) throws -> [MaintainedIndex] {
    var table = try indexes(of: entity, on: connection)
    if table.kept[ObjectIdentifier(entity)] == nil, connection.isWriting {
      try adapt(table.entries, to: entity, on: connection)
      table = try indexes(of: entity, on: connection)
    }
    let kept = try table.kept[ObjectIdentifier(entity)] ?? keep(table.entries, of: entity, on: connection, core: core)
    table.kept[ObjectIdentifier(entity)] = kept
    for (index, isComplete) in kept.unfinished {
      EntityStore.of(core).filling.want(.init(entity: entity, index: index), isComplete: isComplete)
    }
    return kept.indexes
  }

  /// Makes what a writer with this schema needs, and notes what it doesn't look at.
  private static func adapt(
    _ entries: [IndexEntry], to entity: EntityDescription, on connection: Connection
  ) throws {
    for index in entity.indexes where index.isUnique && !entries.contains(where: { $0.isNamed(index.path.name) }) {
      try make(index, of: entity, on: connection)
    }
    for entry in entries where entry.check != IndexEntry.unchecked {
      if entity.indexes.contains(where: { $0.isUnique && entry.isOver($0.path) }) { continue }
      try markCheck(IndexEntry.unchecked, entry.path, of: entity.table, on: connection)
    }
  }

  private static func keep(
    _ entries: [IndexEntry], of entity: EntityDescription, on connection: Connection, core: WorkspaceCore
  ) throws -> KeptIndexes {
    var kept = KeptIndexes()
    kept.indexes = try entries.map { entry in
      guard let path = FieldPath(definition: entry.definition) else {
        throw WorkspaceError(
          .newerFormat,
          "A newer program made the index '\(entry.path)' of '\(entity.table)' in '\(core.path)', which this one can't keep; "
            + "update the program.", path: core.path)
      }
      let index = entity.indexes.first { entry.isOver($0.path) }
      return MaintainedIndex(entry, table: entity.table, path: path, index: index, on: connection)
    }
    for index in entity.indexes where index.isUnique {
      guard let entry = entries.first(where: { $0.isOver(index.path) }) else {
        kept.indexes.append(MaintainedIndex(displaced: index, table: entity.table, on: connection))
        continue
      }
      // Until it is filled, finding duplicates means reading rows; and a program that didn't know that it is unique may
      // have filled it.
      if !entry.isComplete || !entry.isChecked { kept.unfinished.append((index, entry.isComplete)) }
    }
    return kept
  }

  /// What the file lists, in the order of the paths' names.
  static func entries(of entity: EntityDescription, on connection: Connection) throws -> [IndexEntry] {
    try indexes(of: entity, on: connection).entries
  }

  private static func indexes(of entity: EntityDescription, on connection: Connection) throws -> TableIndexes {
    let version = connection.contentVersion
    let known = connection.knowledge as? KnownIndexes ?? KnownIndexes()
    connection.knowledge = known
    let found = known.tables[entity.number]
    if let found, found.version == version, version != nil { return found }
    let entries = try read(entity.table, on: connection, known)
    // With its statements, if nothing has changed.
    let table = found.flatMap { $0.entries == entries ? $0 : nil } ?? TableIndexes(entries: entries)
    table.version = version
    known.tables[entity.number] = table
    return table
  }

  /// The indexes that the file lists for a table, read now.
  static func entries(of table: String, on connection: Connection) throws -> [IndexEntry] {
    try read(table, on: connection, KnownIndexes())
  }

  private static func read(_ table: String, on connection: Connection, _ known: KnownIndexes) throws -> [IndexEntry] {
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

/// What the file says of one index.
struct IndexEntry: Equatable, Sendable {
  /// The path's name.
  let path: String
  let definition: String
  /// Rows up to here are in the index; and those after `last`.
  let filledTo: Int64
  /// The highest row when the index was made.
  let last: Int64
  /// Whether its values are known to be unique: `unchecked`, `checked`, or the number of a check that is under way. Who
  /// writes values that need not be unique ends both.
  let check: Int64

  static let unchecked: Int64 = 0
  static let checked: Int64 = 1

  var isChecked: Bool { check == Self.checked }
  var isComplete: Bool { filledTo >= last }

  /// False for another path, and for one that reads the same place in another way: with another default, for one.
  func isOver(_ path: FieldPath) -> Bool {
    isNamed(path.name) && definition.hasSameBytes(as: path.definition)
  }

  /// Identity is bytes: a definition may hold a default, and two spellings of one text are two defaults.
  func isNamed(_ path: String) -> Bool { self.path.hasSameBytes(as: path) }

  static func == (a: IndexEntry, b: IndexEntry) -> Bool {
    a.isNamed(b.path) && a.definition.hasSameBytes(as: b.definition) && a.filledTo == b.filledTo && a.last == b.last
      && a.check == b.check
  }
}

/// What is known of the file's indexes on a connection.
private final class KnownIndexes {
  /// Once the list is there, it stays; a connection that made it and rolled back knows nothing any more.
  var hasList = false
  /// By the tables' numbers.
  var tables: [Int: TableIndexes] = [:]
}

private final class TableIndexes {
  let entries: [IndexEntry]
  /// The connection's content version that they were last seen at.
  var version: UInt32?
  var complete: [EntityIndex: Bool] = [:]
  /// By the description: types of one table differ in what they know of its indexes.
  var kept: [ObjectIdentifier: KeptIndexes] = [:]

  init(entries: [IndexEntry]) { self.entries = entries }
}

/// What a writer keeps of one table.
private struct KeptIndexes {
  var indexes: [MaintainedIndex] = []
  /// Unique ones that are partial, or complete and not known to be unique.
  var unfinished: [(index: EntityIndex, isComplete: Bool)] = []
}

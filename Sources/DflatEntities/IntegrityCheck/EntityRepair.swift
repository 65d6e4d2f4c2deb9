import DflatBuffers
import DflatCore
import DflatSQLite
import DflatSupport

/// Rebuilds the data that is derived from the stored objects: indexes, key columns, sequences. Runs in a group, which
/// undoes everything if a step fails.
struct EntityRepair {
  let schemas: [EntitySchema]
  let transaction: TransactionContext
  let group: Group
  /// The repairs, one line each.
  private(set) var done: [String] = []

  private var connection: Connection { group.connection }

  init(_ schemas: [EntitySchema], in transaction: TransactionContext) throws {
    self.schemas = schemas
    self.transaction = transaction
    group = try transaction.joinedGroup()
  }

  mutating func run() throws {
    defer { connection.dropCatalogs() }
    for problem in try EntityCheck.problems(schemas, on: connection) {
      switch problem {
      case .sequence(let table, _, let highest), .unlistedTable(let table, let highest): try raise(table, to: highest)
      case .key(let table, let fields, let rowids): try writeKeys(of: table, fields, rowids)
      case .index(let damage): try rebuild(damage)
      case .unlistedIndex(let table): try drop(table)
      case .duplicates(let table, let path): try uncheck(table, path)
      case .damagedSchema(let table): try removeSchema(of: table)
      case .unreadableTable, .payload, .morePayloads, .unknownDefinition, .unknownSchema: break
      }
    }
  }

  private mutating func note(_ line: String) {
    group.hasChanges = true
    done.append(line)
  }

  private mutating func raise(_ table: String, to highest: Int64) throws {
    try connection.changeSchema(SQL.createSequences)
    let statement = try connection.statement(.storeLastRowid)
    try statement.bind(table, at: 1)
    statement.bind(highest, at: 2)
    try statement.run()
    // Raise the sequence in memory too: a group that has assigned rowids stores it when it ends.
    transaction.entityStorage.writer.noteGivenOut(highest, in: table)
    note("Set the sequence of '\(table)' to \(highest).")
  }

  private mutating func uncheck(_ table: String, _ path: String) throws {
    try IndexCatalog.markCheck(IndexEntry.unchecked, path, of: table, on: connection)
    note("Marked the index '\(path)' of '\(table)' for a check for duplicate values.")
  }

  /// Removes a damaged schema. The next program that writes the table stores its own.
  private mutating func removeSchema(of table: String) throws {
    try SchemaList.remove(table, on: connection)
    note("Removed the stored schema of '\(table)', which was damaged.")
  }

  // MARK: Indexes

  private mutating func rebuild(_ damage: IndexDamage) throws {
    let (table, entry) = (damage.table, damage.entry)
    if let fields = entry.search { return try rebuild(fields, entry, of: table) }
    guard let paths = IndexPaths(definition: entry.definition) else { return }
    var count = 0
    // Something that can't be dropped may have the index's name.
    let isMade = try undoing(where: Self.isOfSchema) {
      let name = StoredNames.indexTable(of: table, path: entry.path)
      try clear(name)
      try connection.changeSchema(IndexSQL.make(table, entry.path, replacing: try connection.hasTable(name)))
      count = try fill(entry, paths, of: table)
    }
    guard isMade else { return }
    try noteChange(of: table, EntityField(paths.name, paths.fields[0]))
    note("Rebuilt the index '\(entry.path)' of '\(table)' from \(count == 1 ? "1 row" : "\(count) rows").")
  }

  private mutating func rebuild(_ fields: SearchFields, _ entry: IndexEntry, of table: String) throws {
    var count = 0
    let isMade = try undoing(where: Self.isOfSchema) {
      try SearchRepair(fields, of: table, on: connection).makeTables()
      count = try SearchRepair(fields, of: table, on: connection).fill()
      try IndexCatalog.recordProgress(of: entry.path, of: table, to: entry.last, on: connection)
    }
    guard isMade else { return }
    try noteChange(of: table, EntityField(entry.path, fields.paths[0]))
    note("Rebuilt the full-text index '\(entry.path)' of '\(table)' from \(count == 1 ? "1 row" : "\(count) rows").")
  }

  private func fill(_ entry: IndexEntry, _ paths: IndexPaths, of table: String) throws -> Int {
    let index = MaintainedIndex(entry, table: table, paths: paths, index: nil, on: connection)
    let rows = try connection.prepare("SELECT rowid, payload FROM \(quoted(table)) ORDER BY rowid")
    var count = 0
    try rows.forEachRow { row in
      _ = try row.withBytes(at: 1) { try index.insert(row.int64(at: 0), readableIn: $0) }
      count += 1
    }
    try IndexCatalog.recordProgress(of: entry.path, of: table, to: entry.last, on: connection)
    return count
  }

  /// Drops a view that has the name of an index table.
  private func clear(_ name: String) throws {
    if try connection.hasTable(name) { return }  // dropped when the index is created
    guard try EntityTableFormat.isNameTaken(name, on: connection) else { return }
    try connection.changeSchema("DROP VIEW \(quoted(name))")
  }

  private mutating func drop(_ index: String) throws {
    let isDropped = try undoing(where: Self.isOfSchema) {
      try SearchRepair.mendOwnTables(of: index, on: connection)
      try connection.changeSchema("DROP TABLE \(quoted(index))")
    }
    if isDropped {
      note("Dropped the index '\(index)', which was not in the file's list.")
    }
  }

  /// Notes that any row may have changed: queries that used the index may now find other rows, in all processes.
  private func noteChange(of table: String, _ field: EntityField) throws {
    // Only the table's name counts here, so any description with it will do.
    let entity = schemas.first(ofTable: table)?.entity ?? EntityDescription(table, primaryKey: [field])
    try transaction.table(entity, in: group, of: transaction.entityStorage).changes.noteUnknown()
  }

  /// Runs `body` in a savepoint. If it throws an error for which `isRefusal` is true, undoes it and returns false.
  private func undoing(where isRefusal: (any Error) -> Bool, _ body: () throws -> Void) throws -> Bool {
    try connection.open(.repair)
    do {
      try body()
      try connection.release(.repair)
      return true
    } catch let error where isRefusal(error) {
      try connection.rollBack(.repair)
      return false
    }
  }

  /// Returns true if the error means that the file's schema doesn't allow the change.
  private static func isOfSchema(_ error: any Error) -> Bool {
    (error as? SQLiteError)?.isStatementError ?? ((error as? WorkspaceError)?.code == .corrupt)
  }

  // MARK: Keys

  /// Writes the keys of all these rows, or of none if two objects have the same key. First replaces every key by a
  /// placeholder, so that rows can exchange keys.
  private mutating func writeKeys(of table: String, _ fields: String, _ rowids: [Int64]) throws {
    guard let entity = schemas.first(ofTable: table)?.entity else { return }
    let areWritten = try undoing(where: { ($0 as? SQLiteError)?.isUniqueViolation == true }) {
      let names = StoredNames.keyColumns(entity.primaryKey.count)
      // No key equals a placeholder: the only blob in a key column is the empty one, for NaN.
      let first = StoredNames.keyColumn(0)
      let vacating = "UPDATE \(quoted(table)) SET \(first) = CAST('row ' || rowid AS BLOB) WHERE rowid = ?1"
      let settings = names.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")
      let vacate = try connection.prepare(vacating)
      let write = try connection.prepare("UPDATE \(quoted(table)) SET \(settings) WHERE rowid = ?1")
      // Vacate all keys before writing any.
      for rowid in rowids {
        vacate.bind(rowid, at: 1)
        try vacate.run()
      }
      for rowid in rowids {
        guard let bytes = try EntityRows.payload(of: rowid, in: entity, on: connection) else { continue }
        write.bind(rowid, at: 1)
        let key = try bytes.withUnsafeBytes { try EntityRows.key(in: $0, of: entity) }
        for (position, value) in key.enumerated() { try ColumnValue.bind(value, to: write, at: Int32(position) + 2) }
        try write.run()
      }
    }
    guard areWritten else { return }
    // Queries by key may now find other rows.
    try transaction.table(entity, in: group, of: transaction.entityStorage).changes.noteUnknown()
    note("Rewrote the key (\(fields)) of \(rowids.count == 1 ? "1 row" : "\(rowids.count) rows") of '\(table)'.")
  }
}

extension Savepoint {
  fileprivate static let repair = Savepoint("repair")
}

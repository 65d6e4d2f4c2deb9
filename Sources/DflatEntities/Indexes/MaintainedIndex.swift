import DflatBuffers
import DflatSQLite

/// An index of the file that a writer maintains. It has one row for each row of its table, with the value in the
/// object's bytes, or null.
///
/// Rows that a partial index doesn't have yet may be changed nevertheless: the change writes to the index, and filling
/// it later writes the same value. Used with the write token, inside a group.
final class MaintainedIndex {
  /// The location of the value. It reads the stored value, whatever values a schema defines.
  let path: FieldPath
  /// The reader for `path`.
  let reader: PathReader
  /// The field in the program's schema; nil if the schema doesn't have this index.
  let field: EntityField?
  /// True if the program's schema declares the index unique. Null and NaN equal no value.
  let isUnique: Bool
  let entry: IndexEntry
  /// False for a unique field without an index in the file: its values are looked up in the rows.
  private let isStored: Bool
  private let table: String
  /// Unowned because the connection's schema cache owns this object.
  private unowned let connection: Connection
  private var statements: [Text: Statement] = [:]

  /// Creates an index of the file. `index` is the same index in the program's schema.
  init(_ entry: IndexEntry, table: String, path: FieldPath, index: EntityIndex?, on connection: Connection) {
    self.entry = entry
    self.isStored = true
    self.table = table
    self.path = path
    self.reader = PathReader(storedBy: path)
    self.field = index?.field
    self.isUnique = index?.isUnique ?? false
    self.connection = connection
  }

  /// Creates an index for a unique field whose name in the file is taken by an index with another definition.
  init(displaced index: EntityIndex, table: String, on connection: Connection) {
    entry = IndexEntry(
      path: index.path.name, definition: index.path.definition, filledTo: 0, last: .max, check: IndexEntry.checked)
    isStored = false
    self.table = table
    path = index.path
    reader = PathReader(storedBy: index.path)
    field = index.field
    isUnique = true
    self.connection = connection
  }

  /// Adds the value of a new row.
  func insert(_ rowid: Int64, _ value: QueryValue) throws { try store(rowid, value) }

  /// Replaces the value of a row.
  func update(_ rowid: Int64, to value: QueryValue) throws { try store(rowid, value) }

  private func store(_ rowid: Int64, _ value: QueryValue) throws {
    guard isStored else { return }
    let statement = try statement(.store)
    statement.bind(rowid, at: 1)
    try ColumnValue.bind(value, to: statement, at: 2)
    try statement.run()
  }

  /// Deletes a row.
  func delete(_ rowid: Int64) throws {
    guard isStored else { return }
    let statement = try statement(.delete)
    statement.bind(rowid, at: 1)
    try statement.run()
  }

  /// Deletes every row.
  func deleteAll() throws { if isStored { try statement(.deleteAll).run() } }

  /// Returns true if another row has the value.
  func hasDuplicate(of value: QueryValue, except rowid: Int64) throws -> Bool {
    try duplicate(of: value, except: rowid) != nil
  }

  /// Returns another row that has the value. If the index is partial, reads the rows that it lacks.
  func duplicate(of value: QueryValue, except rowid: Int64) throws -> Int64? {
    switch value {
    case .null: return nil
    case .real(let number) where number.isNaN: return nil
    default: break
    }
    if isStored {
      let statement = try statement(.find)
      try ColumnValue.bind(value, to: statement, at: 1)
      statement.bind(rowid, at: 2)
      if let found = try statement.firstRow({ $0.int64(at: 0) }) { return found }
    }
    return entry.isComplete ? nil : try duplicateAmongUnfilled(of: value, except: rowid)
  }

  private func duplicateAmongUnfilled(of value: QueryValue, except rowid: Int64) throws -> Int64? {
    let rows = try statement(.unfilled)
    rows.bind(entry.filledTo, at: 1)
    rows.bind(entry.last, at: 2)
    defer { rows.reset() }
    while try rows.step() {
      let row = rows.int64(at: 0)
      guard row != rowid else { continue }
      // A damaged row has no value. Filling the index reports it.
      do { if try path.storedValue(inColumn: 1, of: rows) == value { return row } } catch is FlatBufferError {}
    }
    return nil
  }

  private enum Text: Hashable { case store, delete, deleteAll, find, unfilled }

  private func statement(_ text: Text) throws -> Statement {
    if let found = statements[text] { return found }
    let sql =
      switch text {
      case .store: IndexSQL.store(table, entry.path)
      case .delete: IndexSQL.delete(table, entry.path)
      case .deleteAll: IndexSQL.deleteAll(table, entry.path)
      case .find: IndexSQL.find(table, entry.path)
      case .unfilled: IndexSQL.rows(of: table)
      }
    let made = try connection.prepare(sql)
    statements[text] = made
    return made
  }
}

import DflatBuffers
import DflatSQLite

/// An index of the file, as a writer keeps it: one row for each row of its table, with the value that the bytes hold, null
/// too.
///
/// While it is partial, rows that aren't in it yet may be changed all the same: their rows are written, and the filling
/// writes the same later. Used with the baton, inside a group.
final class MaintainedIndex {
  /// Where the value is; it reads what is stored, whatever a schema knows of it.
  let path: FieldPath
  /// Reads it.
  let reader: PathReader
  /// The field as the program's schema has it; nil when the schema has no index there.
  let field: EntityField?
  /// Whether the program's schema wants its values unique. Null is no value, and NaN equals none.
  let isUnique: Bool
  let entry: IndexEntry
  /// False for a unique field whose values the file has no index of: they are looked for in the rows.
  private let isStored: Bool
  private let table: String
  /// It is a part of what is known of the connection.
  private unowned let connection: Connection
  private var statements: [Text: Statement] = [:]

  /// An index of the file. `index` is the same one as the program's schema has it.
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

  /// A unique field whose place in the file another index has, which reads the bytes in another way.
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

  /// Writes the value of a new row.
  func insert(_ rowid: Int64, _ value: QueryValue) throws { try store(rowid, value) }

  /// Writes the value of a row that has another one now.
  func update(_ rowid: Int64, to value: QueryValue) throws { try store(rowid, value) }

  private func store(_ rowid: Int64, _ value: QueryValue) throws {
    guard isStored else { return }
    let statement = try statement(.store)
    statement.bind(rowid, at: 1)
    try ColumnValue.bind(value, to: statement, at: 2)
    try statement.run()
  }

  /// Forgets a row.
  func delete(_ rowid: Int64) throws {
    guard isStored else { return }
    let statement = try statement(.delete)
    statement.bind(rowid, at: 1)
    try statement.run()
  }

  /// Forgets every row.
  func deleteAll() throws { if isStored { try statement(.deleteAll).run() } }

  /// True when another row has the value.
  func hasDuplicate(of value: QueryValue, except rowid: Int64) throws -> Bool {
    try duplicate(of: value, except: rowid) != nil
  }

  /// Another row that has the value. Rows that aren't in the index yet are read.
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
      // A damaged row has no value; who fills the index reports it.
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

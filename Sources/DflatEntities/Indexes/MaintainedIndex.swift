import DflatBuffers
import DflatSQLite

/// An index of the file that a writer maintains. It has one row for each row of its table, with the values in the
/// object's bytes, or null. Damaged rows have no row in it if their first value can't be read.
///
/// Rows that a partial index doesn't have yet may be changed nevertheless: the change writes to the index, and filling
/// it later writes the same values. Used with the write token, inside a group.
final class MaintainedIndex {
  /// The readers of the values, one for each column. They read the stored values, whatever values a schema defines.
  let readers: [PathReader]
  /// The name of the fields in the program's schema; nil if the schema doesn't have this index.
  let fieldNames: String?
  /// True if the program's schema declares the index unique. Values with null or NaN among them equal no others.
  let isUnique: Bool
  let entry: IndexEntry
  /// False for unique fields without an index in the file: their values are looked up in the rows.
  private let isStored: Bool
  private let table: String
  /// Unowned because the connection's schema cache owns this object.
  private unowned let connection: Connection
  private var statements: [Text: Statement] = [:]

  /// Creates an index of the file. `index` is the same index in the program's schema.
  init(_ entry: IndexEntry, table: String, paths: IndexPaths, index: EntityIndex?, on connection: Connection) {
    self.entry = entry
    self.isStored = true
    self.table = table
    self.readers = paths.fields.map { PathReader(storedBy: $0) }
    self.fieldNames = index?.name
    self.isUnique = index?.isUnique ?? false
    self.connection = connection
  }

  /// Creates an index for unique fields whose name in the file is taken by an index with another definition.
  init(displaced index: EntityIndex, table: String, on connection: Connection) {
    let paths = index.paths
    entry = IndexEntry(
      path: paths.name, definition: paths.definition, filledTo: 0, last: .max, check: IndexEntry.checked)
    isStored = false
    self.table = table
    readers = paths.fields.map { PathReader(storedBy: $0) }
    fieldNames = index.name
    isUnique = true
    self.connection = connection
  }

  /// Adds the values of a new row, one for each column.
  func insert(_ rowid: Int64, _ values: ArraySlice<QueryValue>) throws { try store(rowid, values) }

  /// Adds the values in a payload that may be damaged. A value that can't be read is null. If that is the first one, the
  /// index gets no row: every search in it is for a first value, and would take null for an absent one.
  ///
  /// - Returns: The first error.
  func insert(_ rowid: Int64, readableIn payload: UnsafeRawBufferPointer) throws -> FlatBufferError? {
    let statement = try statement(.store)
    statement.bind(rowid, at: 1)
    var damage: FlatBufferError?
    for (place, reader) in readers.enumerated() {
      do {
        // Texts that aren't UTF-8 keep their bytes: conditions compare bytes.
        try ColumnValue.bind(reader, of: FlatBufferTable(rootOf: payload), to: statement, at: Int32(place) + 2)
      } catch let error as FlatBufferError {
        if place == 0 {
          try delete(rowid)
          return error
        }
        statement.bindNull(at: Int32(place) + 2)
        damage = damage ?? error
      }
    }
    try statement.run()
    return damage
  }

  /// Replaces the values of a row.
  func update(_ rowid: Int64, to values: ArraySlice<QueryValue>) throws { try store(rowid, values) }

  private func store(_ rowid: Int64, _ values: ArraySlice<QueryValue>) throws {
    guard isStored else { return }
    let statement = try statement(.store)
    try bind(rowid, values, to: statement)
    try statement.run()
  }

  private func bind(_ rowid: Int64, _ values: ArraySlice<QueryValue>, to statement: Statement) throws {
    statement.bind(rowid, at: 1)
    for (place, value) in values.enumerated() { try ColumnValue.bind(value, to: statement, at: Int32(place) + 2) }
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

  /// Returns true if another row has the values.
  func hasDuplicate(of values: ArraySlice<QueryValue>, except rowid: Int64) throws -> Bool {
    try duplicate(of: values, except: rowid) != nil
  }

  /// Returns another row that has the values. If the index is partial, reads the rows that it lacks.
  func duplicate(of values: ArraySlice<QueryValue>, except rowid: Int64) throws -> Int64? {
    if values.contains(where: { $0 == .null || $0.isNaN }) { return nil }
    if isStored {
      let statement = try statement(.find)
      try bind(rowid, values, to: statement)
      if let found = try statement.firstRow({ $0.int64(at: 0) }) { return found }
    }
    return entry.isComplete ? nil : try duplicateAmongUnfilled(of: values, except: rowid)
  }

  private func duplicateAmongUnfilled(of values: ArraySlice<QueryValue>, except rowid: Int64) throws -> Int64? {
    let rows = try statement(.unfilled)
    rows.bind(entry.filledTo, at: 1)
    rows.bind(entry.last, at: 2)
    defer { rows.reset() }
    while try rows.step() {
      let row = rows.int64(at: 0)
      guard row != rowid else { continue }
      // A damaged row has no values. Filling the index reports it.
      do {
        if try readers.values(inColumn: 1, of: rows).elementsEqual(values) { return row }
      } catch is FlatBufferError {}
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

extension [MaintainedIndex] {
  /// Returns the values of all indexes in an object: those of the first index, of the second one, and so on.
  func values(in root: FlatBufferTable) throws(FlatBufferError) -> [QueryValue] {
    var values: [QueryValue] = []
    for index in self {
      for reader in index.readers { values.append(try reader.value(in: root)) }
    }
    return values
  }

  /// Passes each index with its part of the values.
  func forEach(
    with values: [QueryValue], _ body: (MaintainedIndex, ArraySlice<QueryValue>) throws -> Void
  ) rethrows {
    var start = 0
    for index in self {
      try body(index, values[start..<(start + index.readers.count)])
      start += index.readers.count
    }
  }
}

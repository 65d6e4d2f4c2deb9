import DflatBuffers
import DflatCore
import DflatSQLite
import DflatSupport

/// Brings one index from missing to complete, and checks a unique one for duplicates. Each step is a part of a group,
/// with the write token. The progress is in the file, so an undone step, a crash, and another process that fills the
/// same index are all harmless.
///
///     missing ──► partial: rows 1…filled_to ──► complete ──► (unique:) checked
struct IndexFill: BackgroundFill {
  /// An index to fill.
  struct Job: Sendable {
    let entity: EntityDescription
    let index: EntityIndex

    var key: IndexFillQueue.Key { .init(table: entity.number, path: index.storedName) }
  }

  enum Outcome: Equatable {
    /// More steps are needed.
    case more
    /// The index is complete and, if unique, checked.
    case done
    /// The file can't have this index: its table is missing, or another index has its name.
    case impossible
    /// The uniqueness check can't finish: programs whose schema doesn't declare the index unique keep writing.
    case disturbed
  }

  /// The rows whose values in a unique index an earlier row has too.
  struct Duplicates {
    /// The first such row, and the row with the same value, as text for messages.
    let example: (row: String, other: String)
    var rows = 1
  }

  /// The maximum number of rows that a step reads.
  static let rowsInStep = 500
  /// The size of the payloads after which a step ends, in bytes.
  static let bytesInStep = 4 << 20
  /// The number of times that the uniqueness check restarts after other programs' writes have invalidated it.
  static let maximumRestarts = 3

  let job: Job
  private(set) var duplicates: Duplicates?
  /// The rows that could not be read, for the caller to report.
  private(set) var damage: [(rowid: Int64, error: FlatBufferError)] = []
  /// The last row that has been compared with the others.
  private var checkedTo: Int64 = 0
  /// The check's number in the file while it is in progress. Writers whose values the check could miss reset it.
  private var number: Int64?
  private var restarts = 0
  private let rows: Int

  init(_ job: Job, rowsInStep: Int = rowsInStep) {
    self.job = job
    rows = rowsInStep
  }

  /// Performs one step in an open group. If the group isn't committed, the next step needs a new value.
  ///
  /// - Throws: As `SchemaCatalog.requireCompatibility`, since another program may have stored its schema after the
  ///   index was wanted; `SQLiteError`; and `WorkspaceError` with code `.corrupt` if another table has the index's
  ///   name.
  mutating func step(in group: Group) throws -> Outcome {
    let connection = group.connection
    try SchemaCatalog.requireCompatibility(of: job.entity, on: connection)
    guard let entry = try entry(on: connection) else {
      guard try connection.hasTable(job.entity.table) else { return .impossible }
      try IndexCatalog.make(job.index, of: job.entity, on: connection)
      group.hasChanges = true
      return .more
    }
    guard entry.isOver(job.index.paths) else { return .impossible }
    if !entry.isComplete {
      try fill(entry, on: connection)
      group.hasChanges = true
      return .more
    }
    guard job.index.isUnique, !entry.isChecked else { return .done }
    return try check(entry, in: group)
  }

  /// Fills the rest of an index that the file has, in one group.
  ///
  /// - Throws: As ``step(in:)``.
  static func complete(_ job: Job, in group: Group, reportingTo damagedRows: DamagedRows) throws {
    var filler = IndexFill(job, rowsInStep: .max)
    while let entry = try filler.entry(on: group.connection), entry.isOver(job.index.paths), !entry.isComplete {
      try filler.fill(entry, on: group.connection)
      group.hasChanges = true
    }
    filler.reportDamage(to: damagedRows)
  }

  /// Reports the rows that could not be read.
  mutating func reportDamage(to damagedRows: DamagedRows) {
    for (rowid, error) in damage { damagedRows.report(error, rowid: rowid, of: job.entity) }
    damage = []
  }

  private func entry(on connection: Connection) throws -> IndexEntry? {
    try IndexCatalog.entries(of: job.entity, on: connection).first { $0.isNamed(job.index.storedName) }
  }

  private mutating func fill(_ entry: IndexEntry, on connection: Connection) throws {
    let index = MaintainedIndex(
      entry, table: job.entity.table, paths: job.index.paths, index: job.index, on: connection)
    try entry.fill(of: job.entity.table, upTo: rows, on: connection) { rowid, row in
      // An update may have written the row already, with the same values.
      let error = try row.withBytes(at: 1) { try index.insert(rowid, readableIn: $0) }
      // Queries skip a damaged row, and the write that replaces it updates the index.
      if let error, damage.count < DamagedRows.maximum { damage.append((rowid, error)) }
    }
  }

  /// Continues or restarts the uniqueness check. Earlier steps count only if no program has written without checking
  /// for duplicates since. Returns false after too many restarts.
  private mutating func beginCheck(_ entry: IndexEntry, in group: Group) throws -> Bool {
    if entry.check == number { return true }
    if number != nil { restarts += 1 }
    if restarts > Self.maximumRestarts { return false }
    checkedTo = 0
    duplicates = nil
    number = entry.check
    if entry.check == IndexEntry.unchecked {
      // A new number, different from both marks and, in all likelihood, from earlier checks.
      let made = Int64.random(in: 2 ... .max)
      number = made
      try IndexCatalog.markCheck(made, entry.path, of: job.entity.table, on: group.connection)
      group.hasChanges = true
    }
    return true
  }

  private mutating func check(_ entry: IndexEntry, in group: Group) throws -> Outcome {
    guard try beginCheck(entry, in: group) else { return .disturbed }
    // Compare the next rows with the rows before them.
    let statement = try group.connection.prepare(IndexSQL.duplicates(job.entity.table, entry.path))
    statement.bind(checkedTo, at: 1)
    statement.bind(Int64(rows), at: 2)
    var count = 0
    try statement.forEachRow { row in
      count += 1
      let rowid = row.int64(at: 0)
      // The check would never end if it moved back.
      if rowid <= checkedTo {
        let name = StoredNames.indexTable(of: job.entity.table, path: entry.path)
        throw WorkspaceError.rowsOutOfOrder(in: name, path: group.connection.path)
      }
      checkedTo = rowid
      let first = row.int64(at: 1)
      // The first row with its values is no duplicate, and a NaN has no such row.
      guard row.type(at: 1) == .integer, first != checkedTo else { return }
      duplicates?.rows += 1
      if duplicates == nil {
        let connection = group.connection
        duplicates = Duplicates(
          example: (try describe(checkedTo, on: connection), try describe(first, on: connection)))
      }
    }
    if count == rows { return .more }
    // Every row is compared: record the result.
    let result = duplicates == nil ? IndexEntry.checked : IndexEntry.unchecked
    try IndexCatalog.markCheck(result, entry.path, of: job.entity.table, on: group.connection)
    group.hasChanges = true
    return .done
  }
}

extension IndexFill {
  /// Returns a row's number and primary key, as text for messages.
  private func describe(_ rowid: Int64, on connection: Connection) throws -> String {
    let statement = try connection.prepare(IndexSQL.rows(of: job.entity.table))
    statement.bind(rowid &- 1, at: 1)  // wraps if a damaged index holds the lowest rowid: then no row is found
    statement.bind(rowid, at: 2)
    let key = try statement.firstRow { row in
      job.entity.primaryKey.map { "\($0.name): \((try? $0.path.storedValue(inColumn: 1, of: row))?.text ?? "damaged")" }
    }
    return "row \(rowid) (\((key ?? []).joined(separator: ", ")))"
  }
}

extension QueryValue {
  /// The value as text for messages.
  fileprivate var text: String {
    switch self {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "\"\(value)\""
    }
  }
}

extension FieldPath {
  /// Returns the stored value in the payload of the current row.
  func storedValue(inColumn column: Int32, of statement: Statement) throws -> QueryValue {
    try statement.withBytes(at: column) { bytes in
      try FlatBuffer.withUnverifiedRoot(in: bytes) { root throws(FlatBufferError) in try storedValue(in: root) }
    }
  }
}

import DflatCore
import DflatSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The SQL of the replaced values (`ReplacedTable`).
extension SQL {
  fileprivate static let sizeOfRow = SQL(
    """
    SELECT \(ReplacedTable.rowSize) FROM dictionary \
    WHERE namespace = ?1 AND key = ?2 AND type <> \(TypeTag.expiring.rawValue)
    """)
  /// Copies a row of the dictionary as it is, whether this version can read it or not. REPLACE, because a damaged file
  /// may have a row in the place.
  fileprivate static let keepRow = SQL(
    """
    REPLACE INTO dflat_replaced (commit_number, position, namespace, key, type, version, bytes, time, priority, value) \
    SELECT ?3, ?4, namespace, key, type, version, ?5, CAST(strftime('%s', 'now') AS INTEGER), ?6, value \
    FROM dictionary WHERE namespace = ?1 AND key = ?2
    """)
  fileprivate static let replacedRows = SQL(
    "SELECT \(ReplacedTable.columns) FROM dflat_replaced WHERE \(ReplacedTable.isSound) \(ReplacedTable.newestFirst)")
  fileprivate static let replacedRowsInNamespace = SQL(
    """
    SELECT \(ReplacedTable.columns) FROM dflat_replaced WHERE namespace = ?1 AND \(ReplacedTable.isSound) \
    \(ReplacedTable.newestFirst)
    """)
  fileprivate static let replacedRow = SQL(
    """
    SELECT \(ReplacedTable.columns) FROM dflat_replaced WHERE commit_number = ?1 AND position = ?2 \
    AND \(ReplacedTable.isSound)
    """)
  fileprivate static let replacedSizes = SQL(
    """
    SELECT commit_number, position, namespace, key, bytes, priority FROM dflat_replaced \
    ORDER BY priority DESC, commit_number DESC, position DESC
    """)
  fileprivate static let replacedPositions = SQL("SELECT position FROM dflat_replaced WHERE commit_number = ?1")
  fileprivate static let removeReplaced = SQL(
    "DELETE FROM dflat_replaced WHERE commit_number = ?1 AND position = ?2")
  fileprivate static let updateReplaced = SQL(
    """
    UPDATE dflat_replaced SET type = ?3, value = ?4, version = ?5, bytes = ?6 \
    WHERE commit_number = ?1 AND position = ?2
    """)
  fileprivate static let removeReplacedUpTo = SQL(
    "DELETE FROM dflat_replaced WHERE (priority, commit_number, position) <= (?3, ?1, ?2)")
  fileprivate static let removeDamaged = SQL(
    """
    DELETE FROM dflat_replaced WHERE NOT (\(ReplacedTable.isSound) AND \(ReplacedTable.hasItsSize) \
    AND (commit_number, position) <= (?1, ?2))
    """)
}

/// The values that writes have replaced, although their types could not read them. A file has the table once a value
/// was kept aside; programs that don't know it ignore it.
package enum ReplacedTable {
  package static let name = "dflat_replaced"
  package static let definition = """
    CREATE TABLE dflat_replaced (
      commit_number INTEGER NOT NULL, position INTEGER NOT NULL, namespace TEXT NOT NULL, key TEXT NOT NULL,
      type INTEGER NOT NULL, version TEXT, bytes INTEGER NOT NULL, time INTEGER NOT NULL, priority INTEGER NOT NULL,
      value, PRIMARY KEY (commit_number, position)) WITHOUT ROWID
    """

  /// The size in bytes, of namespace, key, schema version and value, up to which a value is kept.
  static let maximumValueBytes = 4 << 20
  /// The sizes and numbers up to which a file keeps values.
  static let maximumBytes = 16 << 20
  static let maximumCount = 1_024
  static let maximumCountOfKey = 8

  /// The part of the limits' order that comes before the age; part of the file format.
  enum Priority: Int64 {
    /// A value of the new one's kind that reads only wanted as another type. The program may have been looking for the
    /// type, so these values go first.
    case low = 0
    case high = 1
  }

  // MARK: Parts of SQL

  fileprivate static let columns = "type, value, version, namespace, key, commit_number, position, bytes, time"
  fileprivate static let newestFirst = "ORDER BY commit_number DESC, position DESC"
  /// The size of a row's value with its key, here and in the dictionary.
  fileprivate static let rowSize = """
    length(CAST(namespace AS BLOB)) + length(CAST(key AS BLOB)) + ifnull(length(CAST(version AS BLOB)), 0) \
    + CASE typeof(value) WHEN 'blob' THEN length(value) WHEN 'text' THEN length(CAST(value AS BLOB)) ELSE 8 END
    """
  /// True for a row as `keepRow` writes it. A file is untrusted input.
  fileprivate static let isSound = """
    typeof(commit_number) = 'integer' AND commit_number BETWEEN 1 AND \(CommitNumber.highest) \
    AND typeof(position) = 'integer' AND position > 0 AND typeof(namespace) = 'text' AND typeof(key) = 'text' \
    AND typeof(bytes) = 'integer' AND bytes BETWEEN 0 AND \(1 << 40) AND typeof(time) = 'integer' \
    AND typeof(priority) = 'integer' AND priority BETWEEN 0 AND 1
    """
  /// True for a sound row whose `bytes` is the size of its value. Readers don't check it: it reads texts as a whole.
  fileprivate static let hasItsSize = "bytes = \(rowSize)"

  /// Returns a condition that is true for rows that no commit up to this one can have written.
  static func isDamaged(at commitNumber: UInt64) -> String {
    "NOT (\(isSound) AND \(hasItsSize) AND commit_number <= \(commitNumber))"
  }

  // MARK: Writing

  /// Returns the size of a row of the dictionary as `bytes` counts it; nil if there is no such row, or if its value expires:
  /// what is to go isn't kept.
  static func size(of key: String, in namespace: String, on connection: Connection) throws -> Int? {
    let statement = try connection.statement(.sizeOfRow)
    try statement.bind(namespace, at: 1)
    try statement.bind(key, at: 2)
    return try statement.firstRow { Int(clamping: $0.int64(at: 0)) }
  }

  /// Copies a row of the dictionary, of this size. Creates the table if the file has none.
  static func keep(
    _ key: String, in namespace: String, ofSize bytes: Int, as id: ReplacedValue.ID, _ priority: Priority,
    on connection: Connection
  ) throws {
    if try !connection.hasTable(name) { try connection.changeSchema(definition) }
    let statement = try connection.statement(.keepRow)
    try statement.bind(namespace, at: 1)
    try statement.bind(key, at: 2)
    statement.bind(Int64(bitPattern: id.commitNumber), at: 3)
    statement.bind(Int64(id.position), at: 4)
    statement.bind(Int64(bytes), at: 5)
    statement.bind(priority.rawValue, at: 6)
    try statement.run()
  }

  /// Removes a value. Returns false if there is no such value.
  @discardableResult
  static func remove(_ id: ReplacedValue.ID, on connection: Connection) throws -> Bool {
    guard try connection.hasTable(name) else { return false }
    let statement = try connection.statement(.removeReplaced)
    bind(id, to: statement)
    try statement.run()
    return connection.changedRows > 0
  }

  /// Gives a replaced value another form.
  static func update(_ replaced: ReplacedValue, to value: CachedValue, on connection: Connection) throws {
    let statement = try connection.statement(.updateReplaced)
    bind(replaced.id, to: statement)
    try ValueColumns.bind(value, to: statement)
    let bytes = replaced.namespace.utf8.count + replaced.key.utf8.count + value.byteCount
    statement.bind(Int64(bytes), at: 6)
    try statement.run()
  }

  /// Removes the values beyond the limits: those of low priority first, then the oldest. Before that, removes rows that
  /// no writer can have written up to `newest`, the last ID that the open group has given: they would take the place of
  /// its values.
  static func trim(upTo newest: ReplacedValue.ID, on connection: Connection) throws {
    // The member that created the table may have been undone.
    guard try connection.hasTable(name) else { return }
    let damaged = try connection.statement(.removeDamaged)
    bind(newest, to: damaged)
    try damaged.run()
    var counts: [Place: Int] = [:]
    var (count, bytes) = (0, Int64(0))
    var surplus: [ReplacedValue.ID] = []
    var end: (id: ReplacedValue.ID, priority: Int64)?
    // Find the values to remove.
    let rows = try connection.statement(.replacedSizes)
    var previous: ReplacedValue.ID?
    try scan(rows) { row in
      let id = readID(row, at: 0)
      // SQLite sorts the rows, so that one to which several paths of a damaged tree lead comes several times in a row.
      if id == previous { throw WorkspaceError.rowsOutOfOrder(in: name, path: connection.path) }
      previous = id
      let place = Place(
        namespace: ByteComparedString(row.string(at: 2)), key: ByteComparedString(row.string(at: 3)))
      if counts[place, default: 0] == maximumCountOfKey {
        surplus.append(id)
        return true
      }
      counts[place, default: 0] += 1
      count += 1
      // In a tree that is not in order, the removal of damaged rows may have missed some, which have any number.
      let (sum, isBeyond) = bytes.addingReportingOverflow(max(row.int64(at: 4), 0))
      bytes = isBeyond ? .max : sum
      if count <= maximumCount, bytes <= maximumBytes { return true }
      end = (id, row.int64(at: 5))
      return false
    }
    for id in surplus { try remove(id, on: connection) }
    guard let end else { return }
    let statement = try connection.statement(.removeReplacedUpTo)
    bind(end.id, to: statement)
    statement.bind(end.priority, at: 3)
    try statement.run()
  }

  /// Returns the positions of the values that a commit has replaced and that are still there.
  static func positions(ofCommit commitNumber: UInt64, on connection: Connection) throws -> Set<Int> {
    guard try connection.hasTable(name) else { return [] }
    let statement = try connection.statement(.replacedPositions)
    statement.bind(Int64(bitPattern: commitNumber), at: 1)
    var positions: Set<Int> = []
    try statement.forEachRow { positions.insert(Int(clamping: $0.int64(at: 0))) }
    return positions
  }

  /// A key with its namespace.
  private struct Place: Hashable {
    let namespace: ByteComparedString
    let key: ByteComparedString
  }

  /// Calls `body` for each row until it returns false.
  private static func scan(_ statement: Statement, _ body: (Statement) throws -> Bool) throws {
    try statement.reading {
      while try statement.step() {
        guard try body(statement) else { return }
      }
    }
  }

  // MARK: Reading

  /// Returns the values of one namespace, or of all, newest first. Throws `.corrupt` if the rows don't come in this order:
  /// in a damaged file, many paths may lead to the same page of the table's tree, and its values would come again and again.
  static func values(of namespace: String?, on connection: Connection) throws -> [ReplacedValue] {
    guard try connection.hasTable(name) else { return [] }
    let statement = try connection.statement(namespace == nil ? .replacedRows : .replacedRowsInNamespace)
    if let namespace { try statement.bind(namespace, at: 1) }
    var values: [ReplacedValue] = []
    try statement.forEachRow { row in
      let id = readID(row, at: 5)
      if let previous = values.last?.id,
        (previous.commitNumber, previous.position) <= (id.commitNumber, id.position)
      {
        throw WorkspaceError.rowsOutOfOrder(in: name, path: connection.path)
      }
      values.append(try value(row))
    }
    return values
  }

  /// Returns nil if there is no such value.
  static func value(_ id: ReplacedValue.ID, on connection: Connection) throws -> ReplacedValue? {
    guard try connection.hasTable(name) else { return nil }
    let statement = try connection.statement(.replacedRow)
    bind(id, to: statement)
    return try statement.firstRow { try value($0) }
  }

  private static func value(_ row: Statement) throws -> ReplacedValue {
    let stored: Result<CachedValue, WorkspaceError>
    do {
      // Strings repair what isn't UTF-8: the value would go to another key, or be another one.
      for column in [1, 2, 3, 4] as [Int32] where row.type(at: column) == .text && !isText(row, at: column) {
        throw WorkspaceError(.corrupt, "The row of the replaced value has text that is not UTF-8.")
      }
      stored = .success(try ValueColumns.read(row))
    } catch let error as WorkspaceError { stored = .failure(error) }
    return ReplacedValue(
      id: readID(row, at: 5), namespace: row.string(at: 3), key: row.string(at: 4),
      date: Date(timeIntervalSince1970: Double(row.int64(at: 8))), byteCount: Int(clamping: row.int64(at: 7)),
      stored: stored)
  }

  /// Returns true if a column of text is UTF-8.
  private static func isText(_ row: Statement, at column: Int32) -> Bool {
    let text = row.string(at: column)
    return row.withBytes(at: column) { text.utf8.elementsEqual($0) }
  }

  private static func readID(_ row: Statement, at column: Int32) -> ReplacedValue.ID {
    ReplacedValue.ID(
      commitNumber: UInt64(bitPattern: row.int64(at: column)), position: Int(clamping: row.int64(at: column + 1)))
  }

  private static func bind(_ id: ReplacedValue.ID, to statement: Statement) {
    statement.bind(Int64(bitPattern: id.commitNumber), at: 1)
    statement.bind(Int64(id.position), at: 2)
  }
}

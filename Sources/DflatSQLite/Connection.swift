import CSQLite
package import DflatSupport

/// A connection to one SQLite file.
///
/// One thread uses a connection at a time: the holder of the write token, or the thread that took a reader out of the
/// pool. Ownership moves between threads, so the connection needs no lock of its own.
@usableFromInline
package final class Connection: @unchecked Sendable {  // see above: one owner at a time
  /// The access that a connection has to its file.
  package enum Mode: Sendable {
    case readOnly
    case readWrite
    /// For a file that can't change: SQLite takes no locks and needs no `-shm` file.
    case immutable
    /// For a new database in memory, which ends with the connection. Its path is `Connection.memoryPath`.
    case memory
  }

  package static let memoryPath = ":memory:"

  let handle: OpaquePointer
  package let path: String
  /// Not checked for overlapping accesses: every statement that runs is looked up here.
  @exclusivity(unchecked)
  private var statements: [Statement?] = []
  var dynamicStatements = StatementCache()
  private var busy: BusyHandler
  private let budget: StepBudget
  private var isClosed = false
  /// Decides which tables statements may use; nil allows all tables.
  var admission: TableAdmission?
  /// The value of `Statement.preparations` at the last call of `hasNewSchema(noticedBy:)`; nil before the first call.
  var knownPreparations: Int32?

  /// The schema cache: what the connection's users remember of the lists of schemas and indexes. A rollback drops it
  /// (`Connection+Transactions`); code that changes the schema calls `dropCatalogs()`.
  package var schemaCache = StatesByClass()

  /// Identifies the state of the catalogs, the lists of schemas and indexes in the file, that the open transaction
  /// shows; nil if it is unknown, or if the transaction has changed a list. The code that begins and ends the
  /// transaction sets it.
  package var catalogNumber: UInt64?

  /// Drops the schema cache because the open transaction changes a list, or because the lists may have changed
  /// unnoticed.
  package func dropCatalogs() {
    schemaCache = StatesByClass()
    catalogNumber = nil
  }

  /// Records what the open transaction changes, while there is one.
  var recorder: ChangeRecorder?

  /// Identifies the file. The code that opens the connection sets it.
  package var fileIdentity: UInt64 = 0

  /// The file's state when an immutable connection was opened, which shows this state for good; nil for others.
  @exclusivity(unchecked)
  package var immutableFile: ImmutableFile?

  /// The number of times that the caches had been dropped when the open transaction began to read. A view of an earlier
  /// time may be of a file that was replaced. The code that begins the transaction sets the number. Not checked for
  /// overlapping accesses: every cold read asks for it.
  @exclusivity(unchecked)
  package var epoch = 0

  /// True if the system failed to read or write for this connection, or memory ran out. If a rollback couldn't read a
  /// page back, SQLite's cache silently keeps the data that was rolled back, so such a connection must not write again.
  @exclusivity(unchecked)
  package private(set) var hasFailed = false

  /// The number of pages in the write-ahead log after this connection's newest commit.
  package private(set) var walPages = 0

  package init(path: String, mode: Mode, busyTimeout: Duration, vfs: String? = nil) throws {
    try Connection.requireWhole(path)
    // Open the file.
    var handle: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    flags |= mode == .readWrite || mode == .memory ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let uri = Connection.uri(path: path) + (mode == .immutable ? "?immutable=1" : "")
    let result = sqlite3_open_v2(uri, &handle, flags, vfs)
    guard result == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
      let extended = handle.map { sqlite3_extended_errcode($0) } ?? result
      sqlite3_close_v2(handle)
      throw SQLiteError(extendedCode: extended == SQLITE_OK ? result : extended, message: message)
    }
    self.handle = handle
    self.path = path
    self.busy = BusyHandler(timeout: busyTimeout)
    self.budget = StepBudget(handle: handle, path: path)
    // Install the limits and the handlers.
    harden()
    // A database in memory has no file that could be damaged, and whose size could bound the steps.
    if mode != .memory {
      sqlite3_progress_handler(
        handle, StepBudget.interval,
        { context in Unmanaged<StepBudget>.fromOpaque(context!).takeUnretainedValue().allowsMore() ? 0 : 1 },
        Unmanaged.passUnretained(budget).toOpaque())
    }
    sqlite3_busy_handler(
      handle,
      { context, count in
        Unmanaged<BusyHandler>.fromOpaque(context!).takeUnretainedValue().waits(count: count) ? 1 : 0
      }, Unmanaged.passUnretained(busy).toOpaque())
    // A custom hook also replaces SQLite's automatic checkpoint at commit.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue().walPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { close() }

  /// Closes the connection now, even if other objects still refer to it. They must not use it afterwards.
  package func close() {
    if isClosed { return }
    isClosed = true
    schemaCache = StatesByClass()
    recorder?.end()
    statements.removeAll()
    dynamicStatements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Throws for a path of which SQLite would open a part: its strings end at U+0000.
  static func requireWhole(_ path: String) throws {
    guard path.utf8.contains(0) else { return }
    throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the path contains the character U+0000")
  }

  /// Builds a URI with RFC 3986 escapes for the characters that SQLite's URI parser interprets:
  /// <https://www.sqlite.org/uri.html>.
  private static func uri(path: String) -> String {
    var uri = path.hasPrefix("/") ? "file://" : "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"): uri += "%25"
      case UInt8(ascii: "?"): uri += "%3f"
      case UInt8(ascii: "#"): uri += "%23"
      case 0x80...:
        let digits = String(byte, radix: 16)
        uri += "%" + digits
      default: uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri
  }

  /// Returns the statement for `sql`, and prepares it on first use.
  package func statement(_ sql: SQL) throws -> Statement {
    if sql.index < statements.count, let statement = statements[sql.index] { return statement }
    let statement = try Statement(sql.text, on: self, persistent: true)
    while statements.count <= sql.index { statements.append(nil) }
    statements[sql.index] = statement
    return statement
  }

  /// Runs statements that run once, such as schema changes and pragmas. Only the first statement of `text` may use a
  /// table's rows.
  package func execute(_ text: String) throws {
    var result = sqlite3_exec(handle, text, nil, nil, nil)
    while try admitRefused(after: result) { result = sqlite3_exec(handle, text, nil, nil, nil) }
    if result != SQLITE_OK { throw error(result, sql: text) }
  }

  /// Prepares a statement that no cache keeps.
  ///
  /// - Parameter usesVirtualTables: True for a text on a full-text index, whose tables `admit` has checked.
  package func prepare(_ text: String, usesVirtualTables: Bool = false) throws -> Statement {
    try Statement(text, on: self, persistent: false, usesVirtualTables: usesVirtualTables)
  }

  /// Returns the first column of the first row of a query or pragma, or 0 if it has no rows.
  package func integer(_ text: String) throws -> Int64 {
    try prepare(text).firstRow { $0.int64(at: 0) } ?? 0
  }

  /// Returns the first column of the first row of a query or pragma, or an empty string if it has no rows.
  package func text(_ text: String) throws -> String {
    try prepare(text).firstRow { $0.string(at: 0) } ?? ""
  }

  /// Runs `body`, whose statements also read other programs' tables: SQLite's own checks, REINDEX, VACUUM.
  ///
  /// CHECK constraints are off meanwhile: rows of other programs that violate their own constraints are not this
  /// package's concern.
  package func withAllTables<T>(_ body: () throws -> T) throws -> T {
    try execute("PRAGMA ignore_check_constraints = ON")
    budget.perByte = StepBudget.perByteOfAnyTable
    defer {
      budget.perByte = StepBudget.perByte
      // Can't fail: it only changes a flag of the connection.
      try? execute("PRAGMA ignore_check_constraints = OFF")
    }
    return try body()
  }

  /// True while a transaction is open. SQLite rolls back by itself after some errors, so ask instead of keeping track.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The number of rows that the newest statement changed.
  package var changedRows: Int { Int(sqlite3_changes64(handle)) }

  /// Builds the error for a failed call, and sets `hasFailed` if the connection must not write again.
  func error(_ result: Int32, sql: String?) -> SQLiteError {
    if result & 0xff == SQLITE_INTERRUPT, budget.wasExceeded {
      return SQLiteError(
        extendedCode: SQLITE_CORRUPT, message: "a statement took more steps than the file can contain rows", sql: sql)
    }
    let extended = sqlite3_extended_errcode(handle)
    // The connection doesn't record some results, such as misuse. Use the result itself then.
    let code = extended & 0xff == result & 0xff ? extended : result
    // A damaged full-text index doesn't mean damaged pages.
    switch code == SQLITE_CORRUPT | (1 << 8) ? SQLITE_OK : code & 0xff {
    case SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_NOTADB: hasFailed = true
    default: break
    }
    let message = code == extended ? String(cString: sqlite3_errmsg(handle)) : String(cString: sqlite3_errstr(result))
    return SQLiteError(extendedCode: code, message: message, sql: sql)
  }
}

extension Connection {
  /// True if the file was opened read-only, even if that is only because the process may not write to it.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// A number that stays the same from the end of this connection's commit to its next transaction unless another
  /// connection commits in between. Inside a transaction, reading it costs a hundredth of a query.
  package var contentVersion: UInt32? {
    var version: UInt32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK ? version : nil
  }

  /// True while this connection holds the file's write lock.
  package var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }
}

import CSQLite

/// One connection to one file.
///
/// A connection is used by one thread at a time; whoever holds it (the baton, a checked-out reader) has that right alone,
/// which is why it may be handed between threads without being locked itself.
package final class Connection: @unchecked Sendable {  // see above: exclusive by hand-over
  package enum Mode: Sendable {
    case readOnly
    case readWrite
    /// For a file that can't change: SQLite takes no locks and needs no `-shm`.
    case immutable
  }

  let handle: OpaquePointer
  package let path: String
  private var statements: [Statement?] = []
  var dynamicStatements = StatementCache()
  private var busy: BusyWait
  private let budget: StepBudget
  private var isClosed = false
  /// Which tables statements may use; nil for all.
  var admission: TableAdmission?
  /// How often the statement that notices new schemas had been prepared anew when it was last asked; nil before the first time.
  var knownPreparations: Int32?

  /// What the users of the connection know of what it shows. Whoever rolls back what was written drops it.
  package var knowledge: AnyObject?

  /// Tells the file from others; set by who opens the connection.
  package var fileNumber: UInt64 = 0

  /// True when the system failed to read or write for it, or memory ran out. Where a rollback could not read a page back,
  /// SQLite's cache keeps what was rolled back, and says nothing: such a connection must not write any more.
  package private(set) var hasFailed = false

  /// Pages in the write-ahead log after this connection's newest commit.
  package private(set) var walPages = 0

  package init(path: String, mode: Mode, busyTimeout: Duration, vfs: String? = nil) throws {
    var handle: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    flags |= mode == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
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
    self.busy = BusyWait(timeout: busyTimeout)
    self.budget = StepBudget(handle: handle, path: path)
    harden()
    sqlite3_progress_handler(
      handle, StepBudget.interval,
      { context in Unmanaged<StepBudget>.fromOpaque(context!).takeUnretainedValue().allowsMore() ? 0 : 1 },
      Unmanaged.passUnretained(budget).toOpaque())
    sqlite3_busy_handler(
      handle,
      { context, count in
        Unmanaged<BusyWait>.fromOpaque(context!).takeUnretainedValue().waits(count: count) ? 1 : 0
      }, Unmanaged.passUnretained(busy).toOpaque())
    // Installing our own hook also keeps SQLite from checkpointing at commit by itself.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue().walPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { close() }

  /// Closes it now, whoever still holds the object. It is not to be used afterwards.
  package func close() {
    if isClosed { return }
    isClosed = true
    knowledge = nil
    statements.removeAll()
    dynamicStatements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// RFC 3986 escapes for what SQLite's URI parser gives a meaning to: <https://www.sqlite.org/uri.html>.
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

  /// The statement for `sql`, prepared at its first use.
  package func statement(_ sql: SQL) throws -> Statement {
    if sql.index < statements.count, let statement = statements[sql.index] { return statement }
    let statement = try Statement(sql.text, on: self, persistent: true)
    while statements.count <= sql.index { statements.append(nil) }
    statements[sql.index] = statement
    return statement
  }

  /// Runs statements that are run once: schema, pragmas. Of several, only the first may use a table's rows.
  package func execute(_ text: String) throws {
    var result = sqlite3_exec(handle, text, nil, nil, nil)
    while try admitRefused(after: result) { result = sqlite3_exec(handle, text, nil, nil, nil) }
    if result != SQLITE_OK { throw error(result, sql: text) }
  }

  /// A statement outside the cache.
  package func prepare(_ text: String) throws -> Statement { try Statement(text, on: self, persistent: false) }

  /// The first column of a pragma's or a query's first row.
  package func integer(_ text: String) throws -> Int64 {
    try prepare(text).firstRow { $0.int64(at: 0) } ?? 0
  }

  package func text(_ text: String) throws -> String {
    try prepare(text).firstRow { $0.string(at: 0) } ?? ""
  }

  /// Runs `body`, whose statements look at other programs' tables too: SQLite's checks, REINDEX, VACUUM. What those check in
  /// their own rows is their business.
  package func withAllTables<T>(_ body: () throws -> T) throws -> T {
    try execute("PRAGMA ignore_check_constraints = ON")
    budget.perByte = StepBudget.perByteOfAnyTable
    defer {
      budget.perByte = StepBudget.perByte
      // It changes a flag of the connection, and can't fail.
      try? execute("PRAGMA ignore_check_constraints = OFF")
    }
    return try body()
  }

  /// True while a transaction is open. SQLite may have rolled back by itself after an error, so ask rather than assume.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Rows changed by the newest statement.
  package var changedRows: Int { Int(sqlite3_changes64(handle)) }

  func error(_ result: Int32, sql: String?) -> SQLiteError {
    if result & 0xff == SQLITE_INTERRUPT, budget.wasExceeded {
      return SQLiteError(
        extendedCode: SQLITE_CORRUPT, message: "a statement took more steps than the file has room for rows", sql: sql)
    }
    let extended = sqlite3_extended_errcode(handle)
    // A result that the connection did not record (misuse, for example) stands for itself.
    let code = extended & 0xff == result & 0xff ? extended : result
    switch code & 0xff {
    case SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_NOTADB: hasFailed = true
    default: break
    }
    let message = code == extended ? String(cString: sqlite3_errmsg(handle)) : String(cString: sqlite3_errstr(result))
    return SQLiteError(extendedCode: code, message: message, sql: sql)
  }
}

extension Connection {
  /// True when the file was opened read-only, be it because it may not be written.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// A number that stays the same, from the end of this connection's commit to its next transaction, if nobody else
  /// committed in between. Asked inside a transaction it costs a hundredth of a query.
  package var contentVersion: UInt32? {
    var version: UInt32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK ? version : nil
  }

  /// True while this connection holds the file's write lock.
  package var isWriting: Bool { sqlite3_txn_state(handle, nil) == SQLITE_TXN_WRITE }
}

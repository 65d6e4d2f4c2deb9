import CSQLiteBaseline

/// Direct use of SQLite as in a careful program: one connection, WAL, `synchronous=NORMAL`, cached statements.
final class RawConnection {
  private let handle: OpaquePointer
  private lazy var begin = Result { try prepare("BEGIN IMMEDIATE") }
  private lazy var beginReading = Result { try prepare("BEGIN") }
  private lazy var commit = Result { try prepare("COMMIT") }

  init(path: String, schema: String) throws {
    var opened: OpaquePointer?
    guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK, let opened
    else {
      throw BenchmarkFailure("cannot open \(path)")
    }
    handle = opened
    // Some rows have two connections.
    sqlite3_busy_timeout(handle, 60_000)
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;" + schema)
  }

  deinit { sqlite3_close_v2(handle) }

  static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Self.failure(of: handle) }
  }

  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw Self.failure(of: handle) }
    return RawStatement(statement, of: handle)
  }

  func write(_ body: () throws -> Void) throws {
    try begin.get().run()
    try body()
    try commit.get().run()
  }

  func read(_ body: () throws -> Void) throws {
    try beginReading.get().run()
    try body()
    try commit.get().run()
  }

  fileprivate static func failure(of handle: OpaquePointer) -> BenchmarkFailure {
    BenchmarkFailure("SQLite: " + String(cString: sqlite3_errmsg(handle)))
  }
}

/// A prepared statement. It doesn't copy bound values, which must stay valid until it has run.
final class RawStatement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer

  fileprivate init(_ handle: OpaquePointer, of connection: OpaquePointer) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ value: Int64, at index: Int32) {
    sqlite3_bind_int64(handle, index, value)
  }

  func bind(_ text: UnsafeBufferPointer<UInt8>, at index: Int32) {
    text.withMemoryRebound(to: CChar.self) { bytes in
      _ = sqlite3_bind_text(handle, index, bytes.baseAddress, Int32(bytes.count), nil)
    }
  }

  func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
    sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), nil)
  }

  /// Runs a statement that returns no rows.
  func run() throws {
    guard sqlite3_step(handle) == SQLITE_DONE, sqlite3_reset(handle) == SQLITE_OK else {
      throw RawConnection.failure(of: connection)
    }
  }

  /// Advances to the next row. Returns false if there is none.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw RawConnection.failure(of: connection)
    }
  }

  func reset() { sqlite3_reset(handle) }

  func integer(at column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Returns the bytes of a blob, which are valid until the next step.
  func bytes(at column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
  }
}

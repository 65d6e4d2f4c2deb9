import CSQLite
import DflatSupport

/// A prepared statement. It belongs to its connection, and to the thread that uses the connection.
@usableFromInline
package final class Statement {
  private let handle: OpaquePointer
  private unowned let connection: Connection
  private let text: String
  /// The text that `bind(repeated:at:)` bound last.
  private var repeated: String?

  /// - Parameter usesVirtualTables: True for a statement on a full-text index, whose definition the caller has checked
  ///   (`Connection.admit`). A virtual table under the name of any other table could run arbitrary code of its module.
  init(_ text: String, on connection: Connection, persistent: Bool, usesVirtualTables: Bool = false) throws {
    var handle: OpaquePointer?
    let flags =
      (usesVirtualTables ? 0 : UInt32(SQLITE_PREPARE_NO_VTAB)) | (persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0)
    var result: Int32
    repeat {
      result = sqlite3_prepare_v3(connection.handle, text, -1, flags, &handle, nil)
    } while try connection.admitRefused(after: result)
    guard result == SQLITE_OK, let handle else { throw connection.error(result, sql: text) }
    self.handle = handle
    self.connection = connection
    self.text = text
  }

  deinit { sqlite3_finalize(handle) }

  // MARK: Binding. Binding fails only if a value is too large or memory runs out.

  package func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }
  package func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }
  package func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

  package func bind(_ value: String, at index: Int32) throws {
    let done: Int32? = value.utf8.withContiguousStorageIfAvailable { bindText($0, at: index) }
    guard let done else {
      var copy = value
      return try check(copy.withUTF8 { bindText($0, at: index) })
    }
    try check(done)
  }

  /// Binds text that is the same in most runs of the statement, such as a namespace. Binding the same text again is
  /// cheap.
  ///
  /// Use this for at most one parameter of a statement, and always for the same one.
  package func bind(repeated value: String, at index: Int32) throws {
    if let repeated, repeated.hasSameBytes(as: value) { return }
    repeated = nil
    try bind(value, at: index)
    repeated = value
  }

  /// Binds text that isn't necessarily UTF-8, such as the upper bound of a range of keys.
  package func bind(text bytes: [UInt8], at index: Int32) throws {
    try check(bytes.withUnsafeBufferPointer { bindText($0, at: index) })
  }

  /// Binds UTF-8 text.
  package func bind(text bytes: UnsafeRawBufferPointer, at index: Int32) throws {
    try check(bytes.withMemoryRebound(to: UInt8.self) { bindText($0, at: index) })
  }

  package func bind(blob bytes: UnsafeRawBufferPointer, at index: Int32) throws {
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      return try check(sqlite3_bind_zeroblob(handle, index, 0))
    }
    try check(sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), transient))
  }

  /// Runs `body` while text is bound without a copy, and unbinds it afterwards.
  package func withBound(_ value: String, at index: Int32, _ body: () throws -> Void) throws {
    func bound(_ bytes: UnsafeBufferPointer<UInt8>) throws {
      let pointer = UnsafeRawPointer(bytes.baseAddress ?? UnsafePointer(empty)).assumingMemoryBound(to: CChar.self)
      try check(sqlite3_bind_text64(handle, index, pointer, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8)))
      defer { sqlite3_bind_null(handle, index) }
      try body()
    }
    if try value.utf8.withContiguousStorageIfAvailable(bound) != nil { return }
    var copy = value
    try copy.withUTF8(bound)
  }

  /// Runs `body` while bytes are bound without a copy, and unbinds them afterwards.
  package func withBound(blob bytes: UnsafeRawBufferPointer, at index: Int32, _ body: () throws -> Void) throws {
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      try bind(blob: bytes, at: index)
      return try body()
    }
    try check(sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil))
    defer { sqlite3_bind_null(handle, index) }
    try body()
  }

  private func bindText(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return sqlite3_bind_text(handle, index, "", 0, nil) }
    return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(handle, index, $0, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
    }
  }

  private func check(_ result: Int32) throws {
    if result != SQLITE_OK { throw connection.error(result, sql: text) }
  }

  // MARK: Running

  /// Advances to the next row, and returns true if there is one. The caller resets the statement after reading the rows
  /// that it needs.
  @usableFromInline
  package func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result: return try recover(from: result)
    }
  }

  /// Retries after a failed step if the failure is a table that has to be checked first: SQLite prepares the statement
  /// again after a schema change, and may then ask for a table that it didn't ask for before.
  private func recover(from result: Int32) throws -> Bool {
    let error = connection.error(result, sql: text)
    sqlite3_reset(handle)
    guard try connection.admitRefused(after: result) else { throw error }
    return try step()
  }

  /// The number of times that SQLite prepared the statement again, which it does after a schema change.
  var preparations: Int32 { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) }

  /// The number of times that the statement ran; for tests.
  package var runs: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_RUN, 0)) }

  /// The path of the file that the statement reads or writes.
  package var path: String { connection.path }

  /// True between the first row and the reset.
  var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Releases the rows. Bound values remain bound.
  @usableFromInline package func reset() { sqlite3_reset(handle) }

  /// Runs the statement to its end, and ignores its rows.
  package func run() throws {
    defer { reset() }
    while try step() {}
  }

  /// Runs `body`, which reads rows, and releases them.
  ///
  /// A text that is read may take memory. If there is none, the text looks empty, and only the next step or the reset
  /// tells. So code that doesn't read the rows to their end, and that may throw because of a text, reads them in here.
  @inlinable
  package func reading<T>(_ body: () throws -> T) throws -> T {
    let result: T
    do { result = try body() } catch { throw failure(insteadOf: error) }
    try finish()
    return result
  }

  /// Releases the rows. Throws if memory ran out while a column was read.
  @usableFromInline
  func finish() throws {
    let result = sqlite3_reset(handle)
    if result != SQLITE_OK { throw connection.error(result, sql: text) }
  }

  /// Releases the rows. Returns the error of memory that ran out while a column was read, or else the given error.
  @usableFromInline
  func failure(insteadOf error: any Error) -> any Error {
    let result = sqlite3_reset(handle)
    return result & 0xff == SQLITE_NOMEM ? connection.error(result, sql: text) : error
  }

  /// Returns the result of `body` for the first row, or nil if there are no rows.
  @inlinable
  package func firstRow<T>(_ body: (Statement) throws -> T) throws -> T? {
    try reading { try step() ? try body(self) : nil }
  }

  /// Returns true if the statement has a row.
  package func hasRow() throws -> Bool { try firstRow { _ in } != nil }

  /// Calls `body` for each row.
  @inlinable
  package func forEachRow(_ body: (Statement) throws -> Void) throws {
    try reading { while try step() { try body(self) } }
  }

  // MARK: Columns

  package var columnCount: Int32 { sqlite3_column_count(handle) }

  package enum ColumnType { case integer, real, text, blob, null }

  package func type(at column: Int32) -> ColumnType {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer
    case SQLITE_FLOAT: return .real
    case SQLITE_TEXT: return .text
    case SQLITE_BLOB: return .blob
    default: return .null
    }
  }

  package func int64(at column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  package func double(at column: Int32) -> Double { sqlite3_column_double(handle, column) }

  package func string(at column: Int32) -> String {
    guard let text = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// Calls `body` with the bytes of a column. They are in SQLite's memory and valid until the next step or reset.
  @inlinable
  package func withBytes<T>(at column: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    try body(bytes(at: column))
  }

  @usableFromInline
  func bytes(at column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count)
  }
}

/// Makes SQLite copy a bound value (`SQLITE_TRANSIENT`).
// nonisolated(unsafe): a constant of sqlite3.h whose imported type isn't Sendable.
private nonisolated(unsafe) let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A non-null address for empty text: SQLite binds a null pointer as NULL.
// nonisolated(unsafe): nothing ever writes to it.
private nonisolated(unsafe) let empty = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

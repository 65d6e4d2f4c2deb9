import CSQLiteBaseline

/// SQLite as a careful program would use it by hand: one connection, cached statements, WAL, `synchronous=NORMAL`, and the
/// rows of the dictionary in a WITHOUT ROWID table.
final class RawDatabase {
  private let handle: OpaquePointer
  private let beginStatement: OpaquePointer
  private let beginReadStatement: OpaquePointer
  private let commitStatement: OpaquePointer
  private let insertStatement: OpaquePointer
  private let selectStatement: OpaquePointer

  init(path: String) throws {
    var opened: OpaquePointer?
    guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK, let opened
    else {
      throw BenchmarkFailure("cannot open \(path)")
    }
    handle = opened
    let setup = """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS dictionary (
        namespace TEXT NOT NULL, key TEXT NOT NULL, type INTEGER NOT NULL, value,
        PRIMARY KEY (namespace, key)
      ) WITHOUT ROWID;
      """
    guard sqlite3_exec(handle, setup, nil, nil, nil) == SQLITE_OK else { throw Self.failure(of: handle) }
    beginStatement = try Self.prepare("BEGIN IMMEDIATE", handle)
    beginReadStatement = try Self.prepare("BEGIN", handle)
    commitStatement = try Self.prepare("COMMIT", handle)
    insertStatement = try Self.prepare("INSERT OR REPLACE INTO dictionary VALUES ('', ?1, 2, ?2)", handle)
    selectStatement = try Self.prepare("SELECT type, value FROM dictionary WHERE namespace = '' AND key = ?1", handle)
  }

  deinit {
    for statement in [beginStatement, beginReadStatement, commitStatement, insertStatement, selectStatement] {
      sqlite3_finalize(statement)
    }
    sqlite3_close_v2(handle)
  }

  static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  func write(_ body: () throws -> Void) throws {
    try step(beginStatement)
    try body()
    try step(commitStatement)
  }

  func read(_ body: () throws -> Void) throws {
    try step(beginReadStatement)
    try body()
    try step(commitStatement)
  }

  func insert(_ key: String, _ value: Int) throws {
    var key = key
    try key.withUTF8 { utf8 in
      try utf8.withMemoryRebound(to: CChar.self) { bytes in
        sqlite3_bind_text(insertStatement, 1, bytes.baseAddress, Int32(bytes.count), nil)
        sqlite3_bind_int64(insertStatement, 2, Int64(value))
        try step(insertStatement)
      }
    }
  }

  func select(_ key: String) throws -> Int? {
    var key = key
    return try key.withUTF8 { utf8 in
      try utf8.withMemoryRebound(to: CChar.self) { bytes in
        sqlite3_bind_text(selectStatement, 1, bytes.baseAddress, Int32(bytes.count), nil)
        defer { sqlite3_reset(selectStatement) }
        switch sqlite3_step(selectStatement) {
        case SQLITE_ROW:
          guard sqlite3_column_int(selectStatement, 0) == 2 else { throw BenchmarkFailure("wrong type") }
          return Int(sqlite3_column_int64(selectStatement, 1))
        case SQLITE_DONE:
          return nil
        default:
          throw Self.failure(of: handle)
        }
      }
    }
  }

  private func step(_ statement: OpaquePointer) throws {
    guard sqlite3_step(statement) == SQLITE_DONE, sqlite3_reset(statement) == SQLITE_OK else {
      throw Self.failure(of: handle)
    }
  }

  private static func prepare(_ sql: String, _ handle: OpaquePointer) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw failure(of: handle) }
    return statement
  }

  private static func failure(of handle: OpaquePointer) -> BenchmarkFailure {
    BenchmarkFailure("SQLite: " + String(cString: sqlite3_errmsg(handle)))
  }
}

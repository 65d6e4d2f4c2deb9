import CSQLite

/// A file as programs without this library's rules see it. Any SQL runs, even on the schema itself.
package final class RawDatabase {
  package struct Failure: Error {
    package let code: Int32
    package let message: String
  }

  private let handle: OpaquePointer

  package init(_ path: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw Failure(code: code, message: String(cString: sqlite3_errstr(code)))
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit { sqlite3_close_v2(handle) }

  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw Failure(code: code, message: String(cString: sqlite3_errmsg(handle))) }
  }

  /// Opens a file, runs statements on it, and closes it.
  package static func execute(_ sql: String, on path: String) throws { try RawDatabase(path).execute(sql) }

  /// Returns the first column of the first row; nil for NULL or if there is no row.
  package func text(_ sql: String) throws -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let prepared = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard prepared == SQLITE_OK else {
      throw Failure(code: prepared, message: String(cString: sqlite3_errmsg(handle)))
    }
    let stepped = sqlite3_step(statement)
    guard stepped == SQLITE_ROW || stepped == SQLITE_DONE else {
      throw Failure(code: stepped, message: String(cString: sqlite3_errmsg(handle)))
    }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }
}

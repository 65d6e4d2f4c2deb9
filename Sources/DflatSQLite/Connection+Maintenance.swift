import CSQLite

extension Connection {
  package struct CheckpointResult: Sendable {
    /// Pages in the log, and those of them that are in the database; negative when there was no telling.
    package var logPages: Int
    package var copiedPages: Int
    package var isComplete: Bool { logPages >= 0 && logPages == copiedPages }
  }

  /// Copies the write-ahead log into the database as far as readers allow.
  ///
  /// Only to be called while the writers of all processes are excluded: SQLite 3.7.0 to 3.51.2 can lose commits otherwise.
  package func checkpoint() throws -> CheckpointResult {
    var log: Int32 = 0
    var done: Int32 = 0
    let result = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &done)
    if result != SQLITE_OK && result != SQLITE_BUSY { throw error(result, sql: "PRAGMA wal_checkpoint(PASSIVE)") }
    return CheckpointResult(logPages: Int(log), copiedPages: Int(done))
  }

  /// Copies the whole database to an empty file, page by page, while others read and write. No part of its path may be a
  /// symbolic link.
  package func backup(to path: String, pagesPerStep: Int32 = 256, onBusy: () throws -> Void) throws {
    var target: OpaquePointer?
    let opened = sqlite3_open_v2(path, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, nil)
    guard opened == SQLITE_OK, let target else {
      sqlite3_close_v2(target)
      throw SQLiteError(extendedCode: opened, message: String(cString: sqlite3_errstr(opened)))
    }
    defer { sqlite3_close_v2(target) }
    guard let backup = sqlite3_backup_init(target, "main", handle, "main") else {
      throw SQLiteError(
        extendedCode: sqlite3_extended_errcode(target), message: String(cString: sqlite3_errmsg(target)))
    }
    var result = SQLITE_OK
    repeat {
      result = sqlite3_backup_step(backup, pagesPerStep)
      if result == SQLITE_BUSY || result == SQLITE_LOCKED {
        do { try onBusy() } catch {
          sqlite3_backup_finish(backup)
          throw error
        }
        result = SQLITE_OK
      }
    } while result == SQLITE_OK
    let finished = sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE, finished == SQLITE_OK else {
      let code = result == SQLITE_DONE ? finished : result
      throw SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
    }
  }
}

/// What is known of the SQLite library that this process uses.
package enum SQLiteLibrary {
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// True for the versions in which a checkpoint beside writers can lose commits when the log is reset
  /// (fixed in 3.44.6, 3.50.7 and 3.51.3). The rule for checkpoints in this package keeps clear of it.
  package static var hasWALResetBug: Bool {
    switch sqlite3_libversion_number() {
    case ..<3_007_000, 3_051_003...: return false
    case 3_044_006..<3_045_000, 3_050_007..<3_051_000: return false
    default: return true
    }
  }
}

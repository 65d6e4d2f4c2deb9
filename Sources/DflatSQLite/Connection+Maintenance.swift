import CSQLite

extension Connection {
  /// The state of the write-ahead log after a checkpoint.
  package struct CheckpointResult: Sendable {
    /// The number of pages in the log, and the number of those already copied to the database; negative if unknown.
    package var logPages: Int
    package var copiedPages: Int
    /// True if the checkpoint copied the entire log.
    package var isComplete: Bool { logPages >= 0 && logPages == copiedPages }
  }

  /// Copies pages from the write-ahead log to the database, as far as open read views allow
  /// (`SQLITE_CHECKPOINT_PASSIVE`).
  ///
  /// Call this only while the writers of all processes are locked out: SQLite 3.7.0 to 3.51.2 can lose commits
  /// otherwise.
  package func checkpoint() throws -> CheckpointResult {
    var log: Int32 = 0
    var done: Int32 = 0
    let result = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &done)
    if result != SQLITE_OK && result != SQLITE_BUSY { throw error(result, sql: "PRAGMA wal_checkpoint(PASSIVE)") }
    return CheckpointResult(logPages: Int(log), copiedPages: Int(done))
  }

  /// Copies the whole database to an empty file, a few pages at a time, while other connections read and write.
  ///
  /// - Parameters:
  ///   - path: The target file. No component of the path may be a symbolic link.
  ///   - pagesPerStep: The number of pages to copy per step.
  ///   - onBusy: Runs whenever another connection has the target locked. Throw an error to stop the backup, or return
  ///     to try again.
  package func backup(to path: String, pagesPerStep: Int32 = 256, onBusy: () throws -> Void) throws {
    try Connection.requireWhole(path)
    // Open the target, and begin.
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
    // Copy pages until the backup is complete or fails.
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
    // Finish, and report the first error.
    let finished = sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE, finished == SQLITE_OK else {
      let code = result == SQLITE_DONE ? finished : result
      throw SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
    }
  }
}

extension Connection {
  /// Replaces the content of this connection's file by that of another file, in one transaction. Other connections read
  /// and wait meanwhile as with any transaction.
  ///
  /// - Parameters:
  ///   - source: A connection to the other file.
  ///   - isStillWanted: Runs while this connection has the file's write lock, before anything is written.
  /// - Returns: False, without a change, if `isStillWanted` returns false.
  package func replaceContent(by source: Connection, if isStillWanted: () throws -> Bool) throws -> Bool {
    dropCatalogs()
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw error(sqlite3_extended_errcode(handle), sql: nil)
    }
    // A step without pages only takes the lock.
    var result = sqlite3_backup_step(backup, 0)
    var wanted: Result<Bool, any Error> = .success(false)
    if result == SQLITE_OK {
      wanted = Result { try isStillWanted() }
      if case .success(true) = wanted { result = sqlite3_backup_step(backup, -1) }
    }
    // Unless all pages were copied, this undoes everything.
    let finished = sqlite3_backup_finish(backup)
    admission?.forget()
    guard try wanted.get() else {
      if result != SQLITE_OK { throw error(result, sql: nil) }
      return false
    }
    guard result == SQLITE_DONE, finished == SQLITE_OK else {
      throw error(result == SQLITE_DONE ? finished : result, sql: nil)
    }
    return true
  }
}

extension Connection {
  /// Calls `body` with a line for each defect that SQLite's own check finds.
  ///
  /// From version 3.44 on, SQLite also checks full-text indexes, quickly or not. These lines are left out: such indexes
  /// are derived data, which the owner of their table checks and rebuilds.
  ///
  /// - Parameter isQuick: True to skip the comparison of tables with SQLite's indexes.
  package func forEachDefect(isQuick: Bool, _ body: (String) throws -> Void) throws {
    try prepare(isQuick ? "PRAGMA quick_check" : "PRAGMA integrity_check").forEachRow { row in
      // A row may have several lines, and begin with one that names the database.
      for line in row.string(at: 0).split(separator: "\n") {
        if line == "ok" || line.hasPrefix("***") || line.contains("inverted index for FTS5 table") { continue }
        try body(String(line))
      }
    }
  }

  /// Returns the first defect that SQLite's own check finds, or nil if there is none.
  package func firstDefect(isQuick: Bool) throws -> String? {
    var first: String?
    try forEachDefect(isQuick: isQuick) { first = first ?? $0 }
    return first
  }
}

/// The SQLite library that this process uses.
package enum SQLiteLibrary {
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// True for the versions in which a checkpoint that runs beside a writer can lose commits when the log is reset
  /// (fixed in 3.44.6, 3.50.7 and 3.51.3). This package's checkpoints lock out all writers, which avoids the bug.
  package static var hasWALResetBug: Bool {
    switch sqlite3_libversion_number() {
    case ..<3_007_000, 3_051_003...: return false
    case 3_044_006..<3_045_000, 3_050_007..<3_051_000: return false
    default: return true
    }
  }
}

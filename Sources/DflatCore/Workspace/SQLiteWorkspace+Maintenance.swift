import DflatSQLite
import DflatSupport

extension SQLiteWorkspace {
  /// Copies the state of the newest commit to a new file, while others read and write.
  ///
  /// Blocks the calling thread until the copy is complete, and survives a loss of power.
  ///
  /// - Parameter path: The path of the copy. No file may exist there, and a failed backup leaves none.
  /// - Throws: ``WorkspaceError`` with code `.cannotOpen` if the copy can't be created, for example because a file
  ///   exists at `path`, or `path` contains U+0000; `.noSuchFile` if the workspace has no file yet; `.busy` if a lock on
  ///   either file is held past the busy timeout; `.conflict` if another process wrote to a file that was read without a
  ///   write-ahead log;
  ///   `.shutdown` after shutdown; the other errors of `SQLiteWorkspace.open(filePath:options:)` if the file can't be
  ///   opened or read, or the copy can't be written.
  public func backup(to path: String) throws {
    try DatabaseFile.requireWhole(path)
    let found: Void? = try core.readingActivity {
      try core.withView { connection, _ in
        let created = DatabaseFile.createNew(path)
        guard created == 0 else {
          let reason =
            created == EEXIST ? "it already exists, and a backup needs a new file" : String(cString: strerror(created))
          throw WorkspaceError(.cannotOpen, "'\(path)' can't be created: \(reason).", path: path)
        }
        do {
          try copy(connection, to: path)
          try connection.requireUnchangedFile()
          // Without the copy's name it is lost, and with its journal, which SQLite has removed, it is empty.
          try DatabaseFile.syncFolder(of: path)
        } catch {
          unlink(path)  // an incomplete copy is of no use
          throw WorkspaceError.wrapping(error, path: path, doing: "Backing up to")
        }
      }
    }
    guard found != nil else {
      throw WorkspaceError(.noSuchFile, "There is no file at '\(core.path)' to copy.", path: core.path)
    }
  }

  /// Copies the database of `connection` to the empty file at `path`. Gives up on a locked copy after the busy timeout.
  /// Only the first step can find the copy locked: it locks the copy until the backup ends.
  private func copy(_ connection: Connection, to path: String) throws {
    let deadline = ContinuousClock.now + core.options.busyTimeout
    try connection.backup(to: DatabaseFile.resolve(path)) {
      if ContinuousClock.now >= deadline {
        throw WorkspaceError(.busy, "'\(path)' is locked; back up to another file.", path: path)
      }
      Threads.sleep(microseconds: 1_000)
    }
  }

  /// The time to wait for readers that still need the end of the file.
  private static let patienceWithReaders = Duration.milliseconds(250)

  /// Rewrites the file without its free pages.
  ///
  /// Blocks the calling thread until earlier write transactions are done and the file is rewritten. Later writes wait
  /// meanwhile. If a snapshot is open, the file shrinks later.
  ///
  /// - Throws: ``WorkspaceError`` with code `.wouldDeadlock` inside a transaction's closure of this workspace;
  ///   `.noSuchFile` if there is no file; `.readOnly` if the workspace or the file is read-only; `.corrupt` if the file
  ///   is damaged, which leaves it unchanged; `.busy` if another process holds a lock past the busy timeout;
  ///   `.shutdown` after shutdown; the other errors of `SQLiteWorkspace.open(filePath:options:)` if the file can't be
  ///   opened or rewritten.
  @discardableResult
  public func compact() throws -> CompactionResult {
    if ThreadContext.mustNotWait(for: core) { throw core.nestedError }
    return try core.activity {
      let before = try fileBytes()
      do {
        try core.pipeline.exclusively { writer in
          let connection = try writer.open()
          _ = try ChangeLog.commitNumber(on: connection)  // throws if the tables aren't this format's
          // Other machines can commit meanwhile.
          core.replica?.giveBackTurn()
          do { try core.file.retryingWhileBusy { try connection.vacuum() } } catch let error as SQLiteError
            where isDamage(error, on: connection)
          {
            throw WorkspaceError(
              .corrupt, "'\(core.path)' is damaged, and was left unchanged; restore a backup.", path: core.path,
              sqlite: error)
          }
          try writer.checkpoint(within: Self.patienceWithReaders)
        }
      } catch {
        throw WorkspaceError.wrapping(error, path: core.path, doing: "Compacting")
      }
      return CompactionResult(bytesBefore: before, bytesAfter: try fileBytes())
    }
  }

  /// Returns true if VACUUM failed because of the file's content: a damaged tree refers to pages that don't exist, and
  /// a table whose definition was tampered with rejects its own rows.
  private func isDamage(_ error: SQLiteError, on connection: Connection) -> Bool {
    if error.isFull { return (try? connection.text("PRAGMA quick_check(1)")) != "ok" }
    return error.isStatementError && !error.message.hasPrefix("cannot VACUUM")
  }

  /// Returns sizes and numbers of the file, as of the newest commit, or as of the snapshot that this thread reads in.
  /// The sizes in bytes are always the current ones.
  ///
  /// Blocks the calling thread while it reads a few pages of the file.
  ///
  /// - Throws: ``WorkspaceError`` with code `.noSuchFile` if there is no file; `.shutdown` after shutdown; the other
  ///   errors of `SQLiteWorkspace.open(filePath:options:)` if the file can't be opened or read.
  public func fileStatistics() throws -> FileStatistics {
    try core.readingActivity {
      let statistics = try core.withCurrentView { connection, commitNumber in
        FileStatistics(
          fileBytes: try fileBytes(), walBytes: (try? fileBytes("-wal")) ?? 0,
          commitNumber: commitNumber, formatVersion: Int(try connection.integer("PRAGMA user_version")),
          pageSize: Int(try connection.integer("PRAGMA page_size")),
          pageCount: Int(try connection.integer("PRAGMA page_count")),
          freePages: Int(try connection.integer("PRAGMA freelist_count")),
          sqliteVersion: SQLiteLibrary.version, sqliteHasCheckpointBug: SQLiteLibrary.hasWALResetBug)
      }
      guard let statistics else {
        throw WorkspaceError(.noSuchFile, "There is no file at '\(core.path)'.", path: core.path)
      }
      return statistics
    }
  }

  /// Returns the size of the file, or of the file with a suffix. Uses `stat`: opening and closing the file would drop
  /// SQLite's locks on it.
  private func fileBytes(_ suffix: String = "") throws -> Int64 {
    try DatabaseFile.requireWhole(core.path)
    var status = stat()
    guard stat(core.file.location + suffix, &status) == 0 else {
      let number = errno
      let reason = String(cString: strerror(number))
      throw WorkspaceError(
        number == ENOENT ? .noSuchFile : .cannotOpen, "The size of '\(core.path)\(suffix)' can't be read: \(reason).",
        path: core.path)
    }
    return Int64(status.st_size)
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import DflatSQLite

/// What ``SQLiteWorkspace/compact()`` gained.
public struct CompactionResult: Sendable, Hashable {
  /// Bytes of the database file before and after.
  public let bytesBefore, bytesAfter: Int64
}

/// Sizes and numbers of a workspace's file.
public struct FileStatistics: Sendable, Hashable {
  /// Bytes of the database file, and of the write-ahead log beside it.
  public let fileBytes, walBytes: Int64
  /// The newest commit in the file.
  public let commitNumber: UInt64
  /// The version of the file's format.
  public let formatVersion: Int
  /// Bytes of a page, pages in the file, and those of them that are free.
  public let pageSize, pageCount, freePages: Int
}

extension SQLiteWorkspace {
  /// Copies the newest commit's state to a new file, while others read and write.
  ///
  /// - Throws: ``WorkspaceError`` `.cannotOpen` when there is something at `path` already; I/O errors. A copy that fails
  ///   leaves no file.
  public func backup(to path: String) throws {
    let found: Void? = try core.readingActivity {
      try core.withView { connection, _ in
        let created = DatabaseFile.createNew(path)
        guard created == 0 else {
          let reason =
            created == EEXIST ? "it exists, and a backup is made to a new file" : String(cString: strerror(created))
          throw WorkspaceError(.cannotOpen, "'\(path)' can't be made: \(reason).", path: path)
        }
        do { try copy(connection, to: path) } catch {
          unlink(path)  // what there is of it is no copy
          throw WorkspaceError.wrapping(error, path: path, doing: "Backing up to")
        }
      }
    }
    guard found != nil else {
      throw WorkspaceError(.noSuchFile, "There is no file at '\(core.path)' to copy.", path: core.path)
    }
  }

  private func copy(_ connection: Connection, to path: String) throws {
    let deadline = ContinuousClock.now + core.options.busyTimeout
    try connection.backup(to: DatabaseFile.resolve(path)) {
      if ContinuousClock.now >= deadline {
        throw WorkspaceError(.busy, "'\(path)' is locked; back up to another file.", path: path)
      }
      Threads.sleep(microseconds: 1_000)
    }
  }

  /// Damage of SQLite's structures and of the dictionary's rows.
  func problems(on connection: Connection, at commitNumber: UInt64) throws -> [IntegrityProblem] {
    let damage = try connection.withAllTables { try structuralProblems(on: connection) }
    if !damage.isEmpty { return damage }
    return try rowProblems(on: connection, at: commitNumber).map { IntegrityProblem(line: $0, isRepairable: false) }
  }

  private func structuralProblems(on connection: Connection) throws -> [IntegrityProblem] {
    var lines: [String] = []
    do {
      try connection.prepare("PRAGMA integrity_check").forEachRow { row in
        let line = row.string(at: 0)
        if line != "ok" { lines.append(line) }
      }
      if lines.isEmpty { return [] }
      // The quick check leaves out SQLite's indexes, which can be made anew.
      let isRepairable = try connection.text("PRAGMA quick_check(1)") == "ok"
      return lines.map { IntegrityProblem(line: $0, isRepairable: isRepairable) }
    } catch let error as SQLiteError where error.isCorrupt {
      return (lines + [error.message]).map { IntegrityProblem(line: $0, isRepairable: false) }
    }
  }

  private func rowProblems(on connection: Connection, at commitNumber: UInt64) throws -> [String] {
    var problems: [String] = []
    let newer = try connection.integer(
      "SELECT count(*) FROM dictionary WHERE commit_number > \(commitNumber) OR commit_number < 1")
    if newer > 0 { problems.append("\(newer) dictionary rows carry a commit number that was never given.") }
    let unnamed = try connection.integer(
      "SELECT count(*) FROM dictionary WHERE typeof(namespace) <> 'text' OR typeof(key) <> 'text'")
    if unnamed > 0 { problems.append("\(unnamed) dictionary rows have a namespace or a key that is no text.") }
    let misnumbered = try connection.integer(
      "SELECT count(*) FROM dflat_log WHERE commit_number NOT BETWEEN 0 AND \(CommitNumber.highest)")
    if misnumbered > 0 {
      problems.append("\(misnumbered) rows of the change log carry a commit number that was never given.")
    }
    let untyped = try connection.integer(
      """
      SELECT count(*) FROM dictionary WHERE NOT CASE
        WHEN type IN (1, 2, 3) THEN typeof(value) = 'integer'
        WHEN type IN (4, 5) THEN typeof(value) IN ('real', 'null')
        WHEN type = 6 THEN typeof(value) = 'text'
        WHEN type IN (7, 8, 9) THEN typeof(value) = 'blob' ELSE 0 END
      """)
    if untyped > 0 { problems.append("\(untyped) dictionary rows hold a value that is not of their type.") }
    return problems
  }

  /// How long the file's end is kept because a reader may still need it.
  private static let patienceWithReaders = Duration.milliseconds(250)

  /// Rewrites the file without its free pages. Others wait meanwhile. While a snapshot is open, the file shrinks later.
  @discardableResult
  public func compact() throws -> CompactionResult {
    if ThreadContext.mustNotWait(for: core) { throw core.nestedError }
    return try core.activity {
      let before = try fileBytes()
      do {
        try core.pipeline.exclusively { writer in
          let connection = try writer.open()
          _ = try ChangeLog.commitNumber(on: connection)  // a file whose tables aren't ours is left as it is
          do { try core.file.retryingWhileBusy { try connection.vacuum() } } catch let error as SQLiteError
            where isDamage(error, on: connection)
          {
            throw WorkspaceError(
              .corrupt, "'\(core.path)' is damaged, and was left as it is; restore a backup.", path: core.path,
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

  /// True when VACUUM failed because of what the file holds: a damaged tree asks for pages that there are not, and a table
  /// whose definition was changed doesn't take its own rows.
  private func isDamage(_ error: SQLiteError, on connection: Connection) -> Bool {
    if error.isFull { return (try? connection.text("PRAGMA quick_check(1)")) != "ok" }
    return error.isStatementError && !error.message.hasPrefix("cannot VACUUM")
  }

  /// Sizes and numbers of the file, as of the newest commit, or of the snapshot in which it is called.
  public func fileStatistics() throws -> FileStatistics {
    try core.readingActivity {
      let statistics = try core.withCurrentView { connection, commitNumber in
        FileStatistics(
          fileBytes: try fileBytes(), walBytes: (try? fileBytes("-wal")) ?? 0,
          commitNumber: commitNumber, formatVersion: Int(try connection.integer("PRAGMA user_version")),
          pageSize: Int(try connection.integer("PRAGMA page_size")),
          pageCount: Int(try connection.integer("PRAGMA page_count")),
          freePages: Int(try connection.integer("PRAGMA freelist_count")))
      }
      guard let statistics else {
        throw WorkspaceError(.noSuchFile, "There is no file at '\(core.path)'.", path: core.path)
      }
      return statistics
    }
  }

  /// By `stat`: opening and closing the file here would drop SQLite's locks on it.
  private func fileBytes(_ suffix: String = "") throws -> Int64 {
    var status = stat()
    guard stat(core.file.location + suffix, &status) == 0 else {
      let number = errno
      let reason = String(cString: strerror(number))
      throw WorkspaceError(
        number == ENOENT ? .noSuchFile : .cannotOpen, "'\(core.path)\(suffix)' can't be measured: \(reason).",
        path: core.path)
    }
    return Int64(status.st_size)
  }
}

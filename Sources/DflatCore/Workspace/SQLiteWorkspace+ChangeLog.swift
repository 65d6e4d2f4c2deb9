extension SQLiteWorkspace {
  /// Returns the commits in the change log after a number, oldest first. The log keeps at least the newest 4,096.
  ///
  /// Blocks the calling thread while it reads.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - wasRead: True if the file had this commit before. If its newest one is older now, another file has replaced it,
  ///     and all of its commits are returned.
  /// - Throws: ``WorkspaceError`` with code `.shutdown` after shutdown, or one of the errors of
  ///   `SQLiteWorkspace.open(filePath:options:)` if the file can't be opened or read.
  package func loggedCommits(after number: UInt64, wasRead: Bool = false) throws -> [LoggedCommit] {
    try core.readingActivity {
      try core.withCurrentView { connection, newest -> [LoggedCommit] in
        let start = wasRead && newest < number ? 0 : number
        guard let records = try ChangeLog.rows(after: start, on: connection) else {
          throw WorkspaceError.rowsOutOfOrder(in: "dflat_log", path: core.path)
        }
        return records.map { LoggedCommit($0) }
      } ?? []
    }
  }

  /// Runs `body` as a callback, after those of all commits that the file had at the call.
  ///
  /// - Throws: ``WorkspaceError`` as `loggedCommits(after:)` does.
  package func deliver(_ body: @escaping @Sendable () -> Void) throws {
    try core.readingActivity {
      try core.checkForCommits()
      core.delivery.enqueue(for: core, body)
    }
  }

  /// Calls a handler whenever the file may have a new commit by any process, on a queue of its own, one call at a time.
  /// The result ends the calls when it is released.
  package func watchCommits(_ handler: @escaping @Sendable () -> Void) -> CommitWatch {
    CommitWatch(ChangeWatcher(workspace: core, file: core.file, log: core.log, follow: handler))
  }
}

/// Calls a handler for new commits as long as it lives.
package final class CommitWatch: Sendable {
  private let watcher: ChangeWatcher

  fileprivate init(_ watcher: ChangeWatcher) {
    self.watcher = watcher
    watcher.start()
  }

  deinit { watcher.stop() }
}

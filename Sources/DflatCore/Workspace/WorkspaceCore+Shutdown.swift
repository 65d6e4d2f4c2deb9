import DflatSQLite

extension WorkspaceCore {
  /// Opens and checks the file now instead of on first use.
  package func openNow() throws {
    if isForked { throw forkError }
    do {
      if options.isReadOnly {
        readers.giveBack(try readers.take())
      } else {
        try pipeline.exclusively { _ = try $0.open() }
      }
      try checkForCommits()
    } catch { throw WorkspaceError.wrapping(error, path: path, doing: "Opening") }
    views.didOpenFile(of: self)
  }

  /// Creates a private file in the system's memory or temporary folder, which closing the workspace deletes.
  package static func inMemory(
    options: SQLiteWorkspace.Options, tables: [any ParticipantTables]
  ) throws -> WorkspaceCore {
    if !ForkGuard.isOriginal { throw WorkspaceError.forked("memory") }
    let folder = try TemporaryFolder.make(inMemory: true)
    return WorkspaceCore(
      path: folder + "/workspace.db", options: options, tables: tables, temporaryDirectory: folder)
  }

  /// Begins shutdown, and blocks until it ends if there is no `completion` and the caller may wait.
  func shutdown(flags: WorkspaceShutdownFlag, completion: (@Sendable () -> Void)?) {
    if isForked { completion?(); return }  // the file is the parent's to close
    if let completion {
      return beginShutdown(flags: flags) { [options] in
        if let target = options.targetQueue { target.async(execute: completion) } else { Threads.run(completion) }
      }
    }
    if mustNotBlock { return beginShutdown(flags: flags) {} }
    let wait = Self.closingWaits.withLock {
      $0.begin(for: ObjectIdentifier(self), inSnapshotsOf: ThreadContext.workspacesOfSnapshots)
    }
    guard let wait else { return beginShutdown(flags: flags) {} }
    defer { Self.closingWaits.withLock { $0.end(wait) } }
    let closed = Promise<Void>()
    beginShutdown(flags: flags) { closed.fulfill(()) }
    closed.wait()
  }

  /// The waits of this process for workspaces to close.
  private static let closingWaits = Lock(ClosingWaits())

  /// Shuts down after the last reference to the workspace is gone.
  func retire() {
    if isForked {
      // Closing the parent's connections in its child can harm other users of the file. Leak them instead.
      _ = Unmanaged.passRetained(self)
      return
    }
    shutdown(flags: [], completion: nil)
  }

  /// True if waiting for the workspace to close could be waiting for this thread. Others may wait for a thread that runs a
  /// callback or a transaction of another workspace, and so close a circle.
  private var mustNotBlock: Bool {
    ThreadContext.isInside(self) || ThreadContext.holdsUpOthers || queueOwner.isCurrent
  }

  /// Stops new writes and activities: participants refuse plain writes (`Participant.stopAcceptingWrites()`),
  /// `beginActivity()` everything else. Closing begins when the last activity ends.
  private func beginShutdown(flags: WorkspaceShutdownFlag, whenClosed: @escaping @Sendable () -> Void) {
    publication.stopAcceptingWrites()
    let actions = lifecycle.withLock {
      $0.close(
        whenIdle: { [self] in Threads.run { self.commitAndClose(flags: flags) } },
        whenClosed: whenClosed)
    }
    for action in actions { action() }
  }

  /// Commits the plain writes, and closes the file once the last reader is back.
  private func commitAndClose(flags: WorkspaceShutdownFlag) {
    stopWatching()
    stopFollowing()
    // The parts that fail report to the error handler and the log themselves.
    try? pipeline.flushAndWait()
    if let replica {
      // Nobody else gives it back from here on, and what follows can take long.
      pipeline.exclusively { _ in replica.giveBackTurn() }
      makeLastSnapshotIfDue()
    }
    runCallbacks()
    readers.close { [self] in Threads.run { self.closeFile(flags: flags) } }
  }

  /// If there are observed closures, returns when the callbacks of all commits of this workspace have run, because the
  /// closures read the file.
  ///
  /// This thread is none that runs callbacks, so one that calls `shutdown` isn't waited for by itself.
  private func runCallbacks() {
    if readObservers.withLock({ $0.isEmpty }) { return }
    // The thread of a transaction may wake before the callbacks of its commit are queued, but under this lock.
    publication.withPublicationLock {}
    // A callback may queue another one: a run that a commit has overtaken, or a query that catches up.
    for _ in 0..<2 {
      let haveRun = Promise<Void>()
      delivery.enqueue(for: self) { haveRun.fulfill(()) }
      haveRun.wait()
    }
  }

  /// Closes all connections, and then notifies the observers and the callers of `shutdown`.
  private func closeFile(flags: WorkspaceShutdownFlag) {
    pipeline.exclusively { writer in
      if !flags.isEmpty, !options.isReadOnly { consolidateFile(writer, flags: flags) }
      file.closeConnections { writer.closeConnections() }
    }
    file.leave()
    replica?.end()
    if let temporaryDirectory { TemporaryFolder.remove(temporaryDirectory) }
    // Run after the pending callbacks.
    delivery.enqueue(for: self) { [self] in
      publication.end()
      for observer in readObservers.withLock({ $0.end() }) { observer.end() }
      for action in lifecycle.withLock({ $0.didClose() }) { action() }
    }
  }

  /// Compacts the file if the flags ask for it, and moves the log into it unless another process or workspace has it
  /// open.
  private func consolidateFile(_ writer: Writer, flags: WorkspaceShutdownFlag) {
    var step = flags.contains(.vacuum) ? "Compacting" : "Moving the write-ahead log into"
    do {
      guard try file.exists() else { return }
      let connection = try writer.open()
      if flags.contains(.vacuum) { try connection.vacuum() }
      step = "Moving the write-ahead log into"
      writer.closeCheckpointer()
      // Locks the file exclusively, so that the checkpoint of this change runs without a writer beside it. Try only
      // once: another process may have the file open for good. Then the log stays, and the last process to close the
      // file may move it.
      let mode = try connection.text("PRAGMA journal_mode = DELETE")
      if mode == "delete" { file.side.remove() }
    } catch {
      let wrapped = WorkspaceError.wrapping(error, path: path, doing: step)
      guard wrapped.code == .busy else { return report(wrapped) }
      // As documented at the flags: the last process to close the file moves the log.
      log.write(
        .debug, "'\(path)' is used by another process and keeps its write-ahead log.", about: wrapped, for: self)
    }
  }
}

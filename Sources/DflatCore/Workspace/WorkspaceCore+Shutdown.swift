import DflatSQLite

extension WorkspaceCore {
  /// Opens the file and checks it, instead of at the first use.
  func openNow() throws {
    if isForked { throw forkError }
    do {
      if options.isReadOnly {
        readers.giveBack(try readers.take())
      } else {
        try pipeline.exclusively { _ = try $0.open() }
      }
      try checkForCommits()
    } catch { throw WorkspaceError.wrapping(error, path: path, doing: "Opening") }
    didOpenFile()
  }

  func shutdown(flags: WorkspaceShutdownFlag, completion: (@Sendable () -> Void)?) {
    if isForked { completion?(); return }  // the file is the parent's to close
    if let completion {
      return beginShutdown(flags: flags) { [options] in
        if let target = options.targetQueue { target.async(execute: completion) } else { Threads.run(completion) }
      }
    }
    if mustNotBlock { return beginShutdown(flags: flags) {} }
    let closed = Promise<Void>()
    beginShutdown(flags: flags) { closed.fulfill(()) }
    closed.wait()
  }

  /// The last reference to the workspace is gone: what was accepted is committed, then everything is closed.
  func retire() {
    if isForked {
      // Closing the parent's connections in its child can harm what others have of the file: they are left as they are.
      _ = Unmanaged.passRetained(self)
      return
    }
    shutdown(flags: [], completion: nil)
  }

  /// True where waiting for the workspace to finish could be waiting for oneself.
  private var mustNotBlock: Bool { ThreadContext.isInside(self) || queueOwner.isCurrent }

  private func beginShutdown(flags: WorkspaceShutdownFlag, whenClosed: @escaping @Sendable () -> Void) {
    publication.stopAcceptingWrites()
    let actions = lifecycle.withLock {
      $0.close(
        whenIdle: { [self] in Threads.run { self.commitAndClose(flags: flags) } },
        whenClosed: whenClosed)
    }
    for action in actions { action() }
  }

  private func commitAndClose(flags: WorkspaceShutdownFlag) {
    stopWatching()
    // A failure was reported to the error handler and the log by the parts that failed.
    try? pipeline.flushAndWait()
    readers.close { [self] in Threads.run { self.closeFile(flags: flags) } }
  }

  private func closeFile(flags: WorkspaceShutdownFlag) {
    pipeline.exclusively { writer in
      if !flags.isEmpty, !options.isReadOnly { leaveOneFile(writer, flags: flags) }
      writer.retire()
    }
    file.leave()
    if let temporaryDirectory { TemporaryFolder.remove(temporaryDirectory) }
    // After the callbacks that are due.
    delivery.enqueue(for: self) { [self] in
      publication.end()
      for action in lifecycle.withLock({ $0.didClose() }) { action() }
    }
  }

  private func leaveOneFile(_ writer: Writer, flags: WorkspaceShutdownFlag) {
    do {
      guard try file.exists() else { return }
      let connection = try writer.open()
      if flags.contains(.vacuum) { try connection.vacuum() }
      writer.closeCheckpointer()
      // Takes the file exclusively: the checkpoint that it does has no writer beside it. Tried once: while another has the
      // file open, which may be for good, it keeps its log, and whoever closes it last may move that.
      let mode = try connection.text("PRAGMA journal_mode = DELETE")
      if mode == "delete" { file.side.remove() }
    } catch {
      log.warning(
        "'\(path)' is used by another process and keeps its write-ahead log.", metadata: ["error": "\(error)"])
    }
  }
}

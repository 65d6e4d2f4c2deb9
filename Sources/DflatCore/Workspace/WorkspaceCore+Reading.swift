package import DflatSQLite

extension WorkspaceCore {
  /// Runs `body`, which reads. Inside a snapshot or transaction `body` is part of that activity; otherwise it is its
  /// own activity.
  package func readingActivity<T>(_ body: () throws -> T) throws -> T {
    switch ThreadContext.reading(self) {
    case .snapshot(let snapshot):
      if case .failed(let error) = snapshot.state { throw error }
      return try body()
    case .transaction: return try body()
    case .callback, .worker, .encoding, nil: return try activity(body)
    }
  }

  /// Returns the role that answers this thread's reads, as `ThreadContext.reading(_:)` does.
  ///
  /// - Throws: ``WorkspaceError`` with code `.invalidRequest` in the closure of another workspace's observation, which
  ///   can't track the read.
  package func readingRole() throws -> ThreadContext.Role? {
    // In an observed closure, it is usually the innermost context that answers.
    if let snapshot = ThreadContext.innermostSnapshot(of: self), snapshot.recorder != nil { return .snapshot(snapshot) }
    if let recorder = ThreadContext.recorder, recorder.workspace !== self {
      throw refusal(
        "An observed closure of '\(recorder.workspace.path)' tried to read '\(path)', whose commits don't run it again; "
          + "observe each workspace by itself.", to: recorder)
    }
    return ThreadContext.reading(self)
  }

  /// Returns the error of a write on this thread if it runs an observed closure, which then fails; nil anywhere else.
  package func refusedWrite() -> WorkspaceError? {
    guard !ThreadContext.isNone, let recorder = ThreadContext.recorder else { return nil }
    return refusal(
      "An observed closure tried to write to '\(path)', but may only read; write in the observation's change handler.",
      to: recorder)
  }

  private func refusal(_ message: String, to recorder: ReadRecorder) -> WorkspaceError {
    let error = WorkspaceError(.invalidRequest, message, path: path)
    recorder.noteRefusal(error)
    return error
  }

  // MARK: Views

  /// The commit that the caches show or are moving to.
  package var publishing: UInt64 { publication.publishing }

  /// Changes whenever the caches are about to be dropped.
  package var epoch: Int { publication.epoch }

  /// Runs `body` with a read view that is at least as new as the caches. Returns nil while there is no file. The caller
  /// is part of an activity, or observes.
  @inlinable
  package func withView<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    var result: T?
    _ = try lendView { result = try body($0, $1) }
    return result
  }

  /// Runs `body` with a read view for a single read. Throws after shutdown has begun. Returns false while there is no
  /// file.
  package func readView(_ body: (Connection, _ commitNumber: UInt64) throws -> Void) throws -> Bool {
    if publication.isClosing { throw isForked ? forkError : shutdownError }
    return try views.lendView(for: self, body)
  }

  /// Lends a view to `withView`, whose inlined part is the generic one.
  @usableFromInline
  func lendView(_ body: (Connection, _ commitNumber: UInt64) throws -> Void) throws -> Bool {
    try views.lendView(for: self, body)
  }

  /// Runs `body` with the view of the snapshot that this thread reads in, or else as `withView` does.
  package func withCurrentView<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    if isForked { throw forkError }
    guard case .snapshot(let snapshot)? = ThreadContext.reading(self) else { return try withView(body) }
    do { return try snapshot.read(body) } catch {
      throw WorkspaceError.wrapping(error, path: path, doing: "Reading")
    }
  }

  /// Runs `body` with a view at exactly the published commit, or with nil while there is no file. `body` runs under the
  /// publication lock, so nothing is published meanwhile. It calls `requireUnchangedFile()` after its last read, and if
  /// that throws, it runs again.
  @inlinable
  package func withPublishedView<T>(_ body: (Connection?) throws -> T) throws -> T {
    var result: T?
    try lendPublishedView { result = try body($0) }
    guard let result else { preconditionFailure("A view must be lent once.") }
    return result
  }

  /// Lends a view to `withPublishedView`, whose inlined part is the generic one.
  @usableFromInline
  func lendPublishedView(_ body: (Connection?) throws -> Void) throws {
    try views.lendPublishedView(for: self, body)
  }

  /// Runs `body` with a copy of the caches' state and a view at the commit that they showed when they were copied, or
  /// with nil instead of a view while there is no file. `body` runs under no lock.
  ///
  /// - Parameters:
  ///   - capture: Copies the state. It returns nil if the caches don't show the given commit, and runs again with
  ///     another one.
  ///   - body: Reads from the view and the copy, which together are the state of one commit.
  package func withSettledView<Captured, T>(
    capturing capture: (_ commitNumber: UInt64) -> Captured?, _ body: (Connection?, Captured) throws -> T
  ) throws -> T {
    try views.withSettledView(for: self, capturing: capture, body)
  }

  /// Looks for other processes' commits. When it returns, all commits that the file had at the call are published and
  /// their callbacks are queued, even those that another thread found.
  ///
  /// - Throws: The errors of opening and reading the file; not `.noSuchFile`, which reads throw.
  package func checkForCommits() throws {
    if lifecycle.withLock({ $0.phase == .closed }) { return }
    try views.checkForCommits(for: self)
  }

  // MARK: Snapshots

  /// Runs `body` on this thread with all its reads at one commit (A6).
  func withinSnapshot<T>(_ body: () throws -> T) rethrows -> T {
    if ThreadContext.reading(self) != nil { return try body() }
    do { try beginActivity() } catch {
      let failed = Snapshot(state: .failed(.wrapping(error, path: path, doing: "Reading")))
      return try ThreadContext.with(self, .snapshot(failed), body)
    }
    defer { endActivity() }
    let snapshot = views.pinnedView(for: self)
    defer { if case .pinned(let reader, _) = snapshot.state, !isForked { readers.giveBack(reader) } }
    return try ThreadContext.with(self, .snapshot(snapshot), body)
  }
}

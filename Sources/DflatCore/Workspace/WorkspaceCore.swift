import Dispatch
package import DflatSQLite
package import Logging
import Synchronization

/// Owns an open workspace's components. It lives until the workspace is closed.
package final class WorkspaceCore: WorkspaceIdentity, @unchecked Sendable {  // its variables are set once, in init
  package let options: SQLiteWorkspace.Options
  package let file: DatabaseFile
  /// The participants' parts of the file.
  package let tables: [any ParticipantTables]
  /// Recognizes the target queue.
  let queueOwner = QueueOwner()
  package let delivery: DeliveryQueue
  package let publication: Publication
  package let readers: ReaderPool
  package private(set) var pipeline: Pipeline!  // the writer needs self
  /// The participants, created on first use.
  @usableFromInline package let participants = ParticipantSlots()
  let lifecycle = Lock(Lifecycle())
  private let isFollowing = Atomic(false)
  private let watcher = AtomicLazyReference<ChangeWatcher>()
  /// The folder of an in-memory workspace. Closing the workspace deletes it.
  let temporaryDirectory: String?

  /// - Parameters:
  ///   - path: The database file.
  ///   - options: The options.
  ///   - tables: The participants' parts of the file.
  ///   - temporaryDirectory: The folder of an in-memory workspace.
  package init(
    path: String, options: SQLiteWorkspace.Options, tables: [any ParticipantTables], temporaryDirectory: String? = nil
  ) {
    ForkGuard.install()
    let file = DatabaseFile(path: path, options: options.file, format: FileFormat(tables))
    self.options = options
    self.file = file
    self.tables = tables
    self.temporaryDirectory = temporaryDirectory
    let delivery = DeliveryQueue()
    self.delivery = delivery
    publication = Publication(delivery: delivery)
    readers = ReaderPool {
      guard let connection = try file.openReader() else {
        throw WorkspaceError(.noSuchFile, "There is no database at '\(path)'.", path: path)
      }
      return connection
    }
    super.init(path: path)
    options.targetQueue.map(queueOwner.mark)
    let writer = Writer(core: self, file: file, publication: publication, readers: readers)
    pipeline = Pipeline(core: self, writer: writer)
  }

  package var log: Logger { options.logger }

  /// True until shutdown begins.
  package var isOpen: Bool { !publication.isClosing }

  /// Reports an error that no caller receives to the log and the error handler (A7).
  package func report(_ error: WorkspaceError) {
    log.error("\(error.message)", metadata: ["code": "\(error.code)", "cause": "\(error)"])
    guard let handler = options.errorHandler else { return }
    // The parent's delivery queue doesn't run in the child.
    if isForked { return handler(error) }
    delivery.enqueue(for: self) { handler(error) }
  }

  /// Starts watching for other processes' commits, once the file exists and is open.
  func didOpenFile() {
    if isFollowing.load(ordering: .acquiring) { return }
    guard options.followsOtherProcesses, watcher.load() == nil, isOpen else { return }
    defer { isFollowing.store(true, ordering: .releasing) }
    let made = ChangeWatcher(core: self)
    if watcher.storeIfNil(made) === made { made.start() }
    if SQLiteLibrary.hasWALResetBug { LibraryNotice.warnOnce(log) }
  }

  func stopWatching() { watcher.load()?.stop() }

  // MARK: Activities

  /// Runs `body` as an activity, which shutdown waits for.
  package func activity<T>(_ body: () throws -> T) throws -> T {
    try beginActivity()
    defer { endActivity() }
    return try body()
  }

  /// Begins an activity. Throws `.shutdown` after shutdown has begun, and `.forked` in a forked child.
  package func beginActivity() throws {
    if isForked { throw forkError }
    guard lifecycle.withLock({ $0.begin() }) else { throw shutdownError }
  }

  /// Ends an activity. The last one to end starts the closing of the workspace if shutdown has begun.
  package func endActivity() {
    if isForked { return }  // the activity began in the parent
    for action in lifecycle.withLock({ $0.end() }) { action() }
  }

  // MARK: Reading

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

  /// Runs `body` with a read view that is at least as new as the caches. Returns nil while there is no file. The caller
  /// is part of an activity, or observes.
  ///
  /// If the view shows a commit that isn't published yet, this publishes it first, so that a reader that saw the newer
  /// value never sees an older cached one afterwards.
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
    return try lendView(body)
  }

  /// Lends a view to `body`. Not generic, to keep a single load fast.
  @usableFromInline
  func lendView(_ body: (Connection, _ commitNumber: UInt64) throws -> Void) throws -> Bool {
    if isForked { throw forkError }
    let reader: Reader
    do { reader = try readers.take() } catch let error as WorkspaceError where error.code == .noSuchFile {
      return false
    }
    do {
      didOpenFile()
      try body(reader.connection, try view(of: reader))
      readers.giveBack(reader)
      return true
    } catch {
      readers.giveBack(reader, isBroken: true)
      throw WorkspaceError.wrapping(error, path: path, doing: "Reading")
    }
  }

  /// Returns the commit of the reader's view, and renews the view if it is out of date.
  private func view(of reader: Reader) throws -> UInt64 {
    if let view = reader.view, view == publication.publishing, !reader.isExpired.load(ordering: .relaxed) {
      return view
    }
    return try newestView(of: reader)
  }

  /// Renews the reader's view, publishes the commit that it shows, and returns that commit's number.
  private func newestView(of reader: Reader) throws -> UInt64 {
    // Remember the published commit first: an older view afterwards means that the file was replaced.
    let before = publication.published
    let view = try reader.renew()
    Failpoint.renewedView.reach(in: self)
    try publication.catchUp(to: view, from: before, on: reader.connection, for: self)
    return view
  }

  /// Runs `body` with the view of the snapshot that this thread reads in, or else as `withView` does.
  func withCurrentView<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    if isForked { throw forkError }
    guard case .snapshot(let snapshot)? = ThreadContext.reading(self) else { return try withView(body) }
    do { return try snapshot.read(body) } catch {
      throw WorkspaceError.wrapping(error, path: path, doing: "Reading")
    }
  }

  /// Runs `body` with a view at exactly the published commit, or with nil while there is no file. `body` runs under the
  /// publication lock, so nothing is published meanwhile.
  @inlinable
  package func withPublishedView<T>(_ body: (Connection?) throws -> T) throws -> T {
    var result: T?
    try lendPublishedView { result = try body($0) }
    guard let result else { preconditionFailure("A view must be lent once.") }
    return result
  }

  @usableFromInline
  func lendPublishedView(_ body: (Connection?) throws -> Void) throws {
    while true {
      let reader: Reader
      do { reader = try readers.take() } catch let error as WorkspaceError where error.code == .noSuchFile {
        return try publication.withPublicationLock { try body(nil) }
      }
      do {
        let view = try newestView(of: reader)
        let isLent: Void? = try publication.withPublicationLock(at: view) { try body(reader.connection) }
        readers.giveBack(reader)
        if isLent != nil { return }
      } catch {
        readers.giveBack(reader, isBroken: true)
        throw WorkspaceError.wrapping(error, path: path, doing: "Reading")
      }
    }
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
    if isForked { throw forkError }
    var isLocked = false
    while true {
      let before = publication.published
      let reader: Reader
      do { reader = try readers.take() } catch let error as WorkspaceError where error.code == .noSuchFile {
        // Valid unless another process or thread has created the file and committed to it meanwhile.
        let captured = publication.withPublicationLock(at: before) { capture(before) }
        if let captured, let captured { return try body(nil, captured) }
        continue
      }
      // Capture the state of the view's commit, and read from the view.
      do {
        didOpenFile()
        let captured = try isLocked ? capturedWhileUnmoved(reader, capture) : capture(try view(of: reader))
        let result = try captured.map { try body(reader.connection, $0) }
        readers.giveBack(reader)
        if let result { return result }
      } catch {
        readers.giveBack(reader, isBroken: true)
        throw WorkspaceError.wrapping(error, path: path, doing: "Reading")
      }
      // Another commit was published in between. Exclude this process's commits from now on.
      isLocked = true
    }
  }

  /// Renews the reader's view and runs `capture` under the publication lock. If `capture` returns nil because the view
  /// shows another process's commit, this follows that commit.
  private func capturedWhileUnmoved<Captured>(
    _ reader: Reader, _ capture: (_ commitNumber: UInt64) -> Captured?
  ) throws -> Captured? {
    let before = publication.published
    let (view, captured) = try publication.withPublicationLock {
      let view = try reader.renew()
      return (view, capture(view))
    }
    if captured == nil { try publication.catchUp(to: view, from: before, on: reader.connection, for: self) }
    return captured
  }

  /// Creates a missing file, so that an observer has a file to watch.
  package func openForObserving() {
    guard watcher.load() == nil, !options.isReadOnly, !ThreadContext.mustNotWait(for: self) else { return }
    // As an activity, so that a file that was just closed doesn't open again.
    guard (try? beginActivity()) != nil else { return }
    defer { endActivity() }
    do { try pipeline.exclusively { _ = try $0.open() } } catch {
      report(.wrapping(error, path: path, doing: "Opening"))
    }
  }

  /// Looks for other processes' commits. When it returns, all commits that the file had at the call are published and
  /// their callbacks are queued, even those that another thread found.
  package func checkForCommits() throws {
    guard lifecycle.withLock({ $0.phase != .closed }), let reader = try? readers.take() else { return }
    do {
      _ = try newestView(of: reader)
      // Another thread may have published them, but not queued their callbacks yet. It still holds the publication lock
      // then.
      publication.withPublicationLock {}
      reader.close()
      readers.giveBack(reader)
    } catch {
      readers.giveBack(reader, isBroken: true)
      throw error
    }
  }

  /// Runs `body` on this thread with all its reads at one commit (A6).
  func withinSnapshot<T>(_ body: () throws -> T) rethrows -> T {
    if ThreadContext.reading(self) != nil { return try body() }
    do { try beginActivity() } catch {
      let failed = Snapshot(state: .failed(.wrapping(error, path: path, doing: "Reading")))
      return try ThreadContext.with(self, .snapshot(failed), body)
    }
    defer { endActivity() }
    let snapshot = pinnedView()
    defer { if case .pinned(let reader, _) = snapshot.state, !isForked { readers.giveBack(reader) } }
    return try ThreadContext.with(self, .snapshot(snapshot), body)
  }

  /// Opens a view at the newest commit. The caller gives its reader back.
  func pinnedView() -> Snapshot { Snapshot(state: pin()) }

  private func pin() -> Snapshot.State {
    do {
      let reader = try readers.take()
      do {
        didOpenFile()
        let view = try newestView(of: reader)
        return .pinned(reader, commitNumber: view)
      } catch {
        readers.giveBack(reader, isBroken: true)
        throw error
      }
    } catch let error as WorkspaceError where error.code == .noSuchFile {
      return .empty
    } catch {
      return .failed(.wrapping(error, path: path, doing: "Reading"))
    }
  }
}

/// Logs, once per process, that the SQLite library in use has the bug that this package's checkpoints avoid.
private enum LibraryNotice {
  private static let wasGiven = Atomic(false)

  static func warnOnce(_ log: Logger) {
    if wasGiven.exchange(true, ordering: .relaxed) { return }
    log.notice(
      """
      SQLite \(SQLiteLibrary.version) can lose commits when a checkpoint runs beside a writer (fixed in 3.44.6, 3.50.7 and \
      3.51.3). This library checkpoints with all writers excluded; other programs that write to the same file may not.
      """)
  }
}

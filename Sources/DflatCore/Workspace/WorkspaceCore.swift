import Dispatch
package import DflatSQLite
package import Logging
package import Synchronization

/// What stands behind a workspace: the parts, and what they need of each other. It lives until the workspace is closed.
package final class WorkspaceCore: @unchecked Sendable {  // its variables are set once, in init
  package let path: String
  package let options: SQLiteWorkspace.Options
  package let file: DatabaseFile
  /// Marks the target queue.
  let queueOwner = QueueOwner()
  package let delivery: DeliveryQueue
  package let publication: Publication
  package let readers: ReaderPool
  package private(set) var pipeline: Pipeline!  // needs a writer that needs self
  /// The dictionary's store, made at its first use (DflatKV).
  package let dictionarySlot = AtomicLazyReference<AnyObject>()
  /// What the entities of this workspace need, made at their first use.
  let entitySlot = AtomicLazyReference<EntityStore>()
  let lifecycle = Lock(Lifecycle())
  private let isFollowing = Atomic(false)
  private let watcher = AtomicLazyReference<ChangeWatcher>()
  /// Deleted with everything in it when the workspace closes.
  let temporaryDirectory: String?

  init(path: String, options: SQLiteWorkspace.Options, temporaryDirectory: String? = nil) {
    ForkGuard.install()
    let file = DatabaseFile(path: path, options: options)
    self.path = path
    self.options = options
    self.file = file
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
    options.targetQueue.map(queueOwner.mark)
    let writer = Writer(core: self, file: file, publication: publication, readers: readers)
    pipeline = Pipeline(core: self, writer: writer)
  }

  package var log: Logger { options.logger }

  /// True in a forked child of a process that used the library, where no workspace may be used.
  package var isForked: Bool { !ForkGuard.isOriginal }

  package var forkError: WorkspaceError { .forked(path) }

  package var shutdownError: WorkspaceError {
    WorkspaceError(.shutdown, "The workspace on '\(path)' was shut down; open another one.", path: path)
  }

  /// True until shutdown begins.
  package var isOpen: Bool { !publication.isClosing }

  /// Tells the log and the error handler of an error that no caller gets (A7).
  package func report(_ error: WorkspaceError) {
    log.error("\(error.message)", metadata: ["code": "\(error.code)", "cause": "\(error)"])
    guard let handler = options.errorHandler else { return }
    // The queue of a parent process does not run in its child.
    if isForked { return handler(error) }
    delivery.enqueue(for: self) { handler(error) }
  }

  /// The file is there and in use: follow what other processes do to it.
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

  /// Runs `body` as something that shutdown waits for.
  package func activity<T>(_ body: () throws -> T) throws -> T {
    try beginActivity()
    defer { endActivity() }
    return try body()
  }

  package func beginActivity() throws {
    if isForked { throw forkError }
    guard lifecycle.withLock({ $0.begin() }) else { throw shutdownError }
  }

  package func endActivity() {
    if isForked { return }  // a child that was forked in the middle of it
    for action in lifecycle.withLock({ $0.end() }) { action() }
  }

  // MARK: Reading

  /// `activity` for what reads: a part of the snapshot or transaction that this thread is in, which shutdown waits for.
  package func readingActivity<T>(_ body: () throws -> T) throws -> T {
    switch ThreadContext.reading(self) {
    case .snapshot(let snapshot):
      if case .failed(let error) = snapshot.state { throw error }
      return try body()
    case .transaction: return try body()
    case .callback, .worker, .encoding, nil: return try activity(body)
    }
  }

  /// Runs `body` with a read view that is at least as new as the caches; nil while there is no file. It is a part of
  /// something that shutdown waits for, or of observing.
  ///
  /// A view that shows a commit that is not published yet publishes it first, so that no older cached value is seen after
  /// a newer one.
  package func withView<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    var result: T?
    _ = try lendView { result = try body($0, $1) }
    return result
  }

  /// A view for a read of its own, which is refused from the beginning of shutdown on; false while there is no file.
  package func readView(_ body: (Connection, _ commitNumber: UInt64) throws -> Void) throws -> Bool {
    if publication.isClosing { throw isForked ? forkError : shutdownError }
    return try lendView(body)
  }

  /// Not generic, for the path of a single load.
  private func lendView(_ body: (Connection, _ commitNumber: UInt64) throws -> Void) throws -> Bool {
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

  private func view(of reader: Reader) throws -> UInt64 {
    if let view = reader.view, view == publication.moving, !reader.isExpired.load(ordering: .relaxed) { return view }
    return try newestView(of: reader)
  }

  /// A view at the newest commit, which is published when this returns.
  private func newestView(of reader: Reader) throws -> UInt64 {
    let before = publication.published
    let view = try reader.renew()
    Failpoint.renewedView.reach(in: self)
    try publication.catchUp(to: view, from: before, on: reader.connection, for: self)
    return view
  }

  /// `withView`, or the view of the snapshot that this thread reads in.
  func withCurrentView<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    if isForked { throw forkError }
    guard case .snapshot(let snapshot)? = ThreadContext.reading(self) else { return try withView(body) }
    switch snapshot.state {
    case .empty: return nil
    case .failed(let error): throw error
    case .pinned(let reader, let number):
      do { return try body(reader.connection, number) } catch {
        throw WorkspaceError.wrapping(error, path: path, doing: "Reading")
      }
    }
  }

  /// Runs `body` with a view at exactly the published commit, while nothing is published; with nil while there is no file.
  /// `body` runs under the publication lock.
  package func withPublishedView<T>(_ body: (Connection?) throws -> T) throws -> T {
    while true {
      let reader: Reader
      do { reader = try readers.take() } catch let error as WorkspaceError where error.code == .noSuchFile {
        return try publication.whileUnmoved { try body(nil) }
      }
      do {
        let view = try newestView(of: reader)
        let result = try publication.whileUnmoved(at: view) { try body(reader.connection) }
        readers.giveBack(reader)
        if let result { return result }
      } catch {
        readers.giveBack(reader, isBroken: true)
        throw WorkspaceError.wrapping(error, path: path, doing: "Reading")
      }
    }
  }

  /// Takes something from the caches by `capture`, and runs `body` with a view at the very commit that they showed then, or
  /// with nil while there is no file: together they are one state. `capture` gives nil when the caches don't show that
  /// commit, and is asked again at another. `body` runs under no lock.
  package func withSettledView<Captured, T>(
    capturing capture: (_ commitNumber: UInt64) -> Captured?, _ body: (Connection?, Captured) throws -> T
  ) throws -> T {
    if isForked { throw forkError }
    var isLocked = false
    while true {
      let before = publication.published
      let reader: Reader
      do { reader = try readers.take() } catch let error as WorkspaceError where error.code == .noSuchFile {
        // Unless somebody has made one, and committed to it, since.
        let captured = publication.whileUnmoved(at: before) { capture(before) }
        if let captured, let captured { return try body(nil, captured) }
        continue
      }
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
      // A commit was published in between. Those of this process wait from now on.
      isLocked = true
    }
  }

  /// With a new view, taken while nothing is published. Nil when it shows a commit of another process, which is then followed.
  private func capturedWhileUnmoved<Captured>(
    _ reader: Reader, _ capture: (_ commitNumber: UInt64) -> Captured?
  ) throws -> Captured? {
    let before = publication.published
    let (view, captured) = try publication.whileUnmoved {
      let view = try reader.renew()
      return (view, capture(view))
    }
    if captured == nil { try publication.catchUp(to: view, from: before, on: reader.connection, for: self) }
    return captured
  }

  /// Makes the file if there is none, so that an observer has something to watch.
  package func openForObserving() {
    guard watcher.load() == nil, !options.isReadOnly, !ThreadContext.mustNotWait(for: self) else { return }
    // As an activity: a file that was just closed is not opened again.
    guard (try? beginActivity()) != nil else { return }
    defer { endActivity() }
    do { try pipeline.exclusively { _ = try $0.open() } } catch {
      report(.wrapping(error, path: path, doing: "Opening"))
    }
  }

  /// Looks for commits of other processes now. When it returns, those that are in the file are published and their
  /// callbacks are due, whoever found them.
  package func checkForCommits() throws {
    guard lifecycle.withLock({ $0.phase != .closed }), let reader = try? readers.take() else { return }
    do {
      _ = try newestView(of: reader)
      // Another thread may have published them, and not have handed their callbacks over.
      publication.whileUnmoved {}
      reader.close()
      readers.giveBack(reader)
    } catch {
      readers.giveBack(reader, isBroken: true)
      throw error
    }
  }

  /// Runs `body` with all its reads on this thread answered as of one commit (A6).
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

  /// A view at the newest commit, for its taker to give back.
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

/// Says once in a process that the SQLite library in use has the bug that checkpoints here keep clear of.
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

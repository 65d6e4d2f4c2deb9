import Dispatch
import DflatSQLite
import Synchronization

/// Owns an open workspace's components. It lives until the workspace is closed.
@usableFromInline
package final class WorkspaceCore: WorkspaceIdentity, @unchecked Sendable {  // its variables are set once, in init
  package let options: SQLiteWorkspace.Options
  package let file: DatabaseFile
  /// The participants' parts of the file.
  package let tables: [any ParticipantTables]
  /// Recognizes the target queue.
  let queueOwner: QueueOwner
  package let delivery: DeliveryQueue
  package let publication: Publication
  package let readers: ReaderPool
  let views: PublishedViews
  package private(set) var pipeline: Pipeline!  // the writer needs self
  /// The participants, created on first use.
  @usableFromInline package let participants = ParticipantSlots()
  let lifecycle = Lock(Lifecycle())
  /// The observations of closures.
  let readObservers = Lock(ReadObservers())
  private let watcher = AtomicLazyReference<ChangeWatcher>()
  /// The file's part in a cluster; nil unless the workspace is replicated.
  let replica: Replica?
  private var follower: ReplicaFollower?
  /// The folder of an in-memory workspace. Closing the workspace deletes it.
  let temporaryDirectory: String?

  /// - Parameters:
  ///   - path: The database file.
  ///   - options: The options.
  ///   - tables: The participants' parts of the file.
  ///   - temporaryDirectory: The folder of an in-memory workspace.
  package init(
    path: String, options: SQLiteWorkspace.Options, tables: [any ParticipantTables], temporaryDirectory: String? = nil,
    cluster: (log: any CommitLog, options: ReplicationOptions)? = nil
  ) {
    ForkGuard.install()
    let file = DatabaseFile(path: path, options: options.file, format: FileFormat(tables))
    self.options = options
    self.file = file
    self.tables = tables
    self.temporaryDirectory = temporaryDirectory
    queueOwner = QueueOwner(of: options.targetQueue)
    let delivery = DeliveryQueue()
    self.delivery = delivery
    let publication = Publication(delivery: delivery)
    self.publication = publication
    let readers = ReaderPool {
      guard let connection = try file.openReader() else {
        throw WorkspaceError(.noSuchFile, "There is no database at '\(path)'.", path: path)
      }
      return connection
    }
    self.readers = readers
    views = PublishedViews(readers: readers, publication: publication)
    let replica = cluster.map { Replica(log: $0.log, options: $0.options, path: path, publication: publication) }
    self.replica = replica
    super.init(path: path)
    let writer = Writer(
      workspace: self, file: file, publication: publication, views: views, policy: options.groupPolicy,
      log: WorkspaceLog(options.logger, on: delivery),
      meter: options.meter.map { CommitMeter($0, on: delivery) }, replica: replica)
    pipeline = Pipeline(
      workspace: self, tables: tables, writer: writer, publication: publication, views: views,
      workers: WorkerPool(workspace: self, target: options.targetQueue),
      isSerial: options.writeConcurrency == .serial)
    follower = replica.map { ReplicaFollower(core: self, replica: $0) }
  }

  package var log: WorkspaceLog { WorkspaceLog(options.logger, on: delivery) }

  /// True until shutdown begins.
  package var isOpen: Bool { !publication.isClosing }

  /// Reports an error that no caller receives to the log and the error handler (A7).
  package func report(_ error: WorkspaceError) { reporter.report(error) }

  /// The reporter of errors that no caller receives. It keeps the workspace alive.
  package var reporter: ErrorReporter {
    ErrorReporter(workspace: self, log: log, handler: options.errorHandler, delivery: delivery)
  }

  /// Starts watching for other processes' commits, once the file exists and is open.
  override func didOpenFile() -> Bool {
    guard options.followsOtherProcesses else { return true }
    guard isOpen else { return false }
    follower?.start()
    startWatching()
    return true
  }

  private func startWatching() {
    guard watcher.load() == nil else { return }
    let made = ChangeWatcher(workspace: self, file: file, log: log) { [unowned self] in try self.checkForCommits() }
    if watcher.storeIfNil(made) === made {
      made.start()
      // Shutdown may have begun beside this, and found no watcher to stop.
      if !isOpen { made.stop() }
      if SQLiteLibrary.hasWALResetBug { noteLibrary() }
    }
  }

  /// Notes that the SQLite library in use has the bug that this package's checkpoints avoid. Nothing is wrong as long
  /// as no other program writes to the file; `fileStatistics()` has the same information.
  private func noteLibrary() {
    log.write(
      .debug,
      """
      SQLite \(SQLiteLibrary.version) can lose commits when a checkpoint runs beside a writer (fixed in 3.44.6, 3.50.7 and \
      3.51.3). This library checkpoints with all writers excluded; other programs that write to '\(path)' may not.
      """, for: self)
  }

  func stopWatching() { watcher.load()?.stop() }

  /// Stops following the cluster. Its connections stay for the last writes.
  func stopFollowing() { follower?.stop() }

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

  /// Creates a missing file, so that an observer has a file to watch. A workspace that may not create it waits for one
  /// that another process creates.
  package func openForObserving() {
    guard watcher.load() == nil else { return }
    // As an activity, so that a file that was just closed doesn't open again.
    guard (try? beginActivity()) != nil else { return }
    defer { endActivity() }
    if options.isReadOnly || !options.file.createsFile {
      if options.followsOtherProcesses { startWatching() }
      if options.isReadOnly { return }
    }
    if ThreadContext.mustNotWait(for: self) { return }
    do { try pipeline.exclusively { _ = try $0.open() } } catch {
      report(.wrapping(error, path: path, doing: "Opening"))
    }
  }
}

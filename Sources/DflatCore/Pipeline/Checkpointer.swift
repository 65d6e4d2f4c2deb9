import DflatSQLite

/// Moves the write-ahead log into the database, between groups: when the log is long (`Writer.checkpointIfDue`), and
/// when a caller asks for it (`Writer.checkpoint(within:)`). Compacting and closing a file empty the log as well
/// (`SQLiteWorkspace.compact()`, `WorkspaceCore.closeFile(flags:)`).
///
/// **The checkpoint rule.** SQLite 3.7.0 to 3.51.2 can lose commits when a checkpoint runs beside a writer that resets
/// the log. Therefore the checkpoint runs on its own connection, in passive mode, while the write connection holds the
/// write lock with an empty transaction: no writer of any process can commit or reset the log meanwhile. The next writer
/// starts the log from its beginning.
struct Checkpointer {
  /// The number of pages in the log at which a checkpoint is due: 4 MiB at 4 KiB per page.
  static let threshold = 1_024
  /// The number of additional pages after which the next checkpoint is due while readers keep the log from starting
  /// over.
  static let retryInterval = 256
  /// The number of pages (8 MiB) at which a checkpoint holds writers back until the readers' views are closed, if the
  /// log didn't start over after its last checkpoint: readers that overlap without a gap pin such a log.
  static let patienceThreshold = 2_048
  /// The time to wait for readers' views to close, longer than readers keep a view (`ReaderPool`). A snapshot that is
  /// open for longer pins the log all the same.
  static let patience = Duration.milliseconds(75)

  private let file: DatabaseFile
  private var connection: Connection?
  private var duePages = threshold
  /// The number of pages in the log after the newest commit.
  private var lastPages = 0
  /// The number of pages in the log at the last checkpoint; 0 if the log has started over since.
  private var checkpointedPages = 0

  init(file: DatabaseFile) { self.file = file }

  /// Returns true if a checkpoint is due for a log of this size.
  mutating func isDue(walPages: Int) -> Bool {
    // No more pages than at the last checkpoint, or fewer than at the last call: the log has started over.
    if walPages <= checkpointedPages || walPages < lastPages { startOver() }
    lastPages = walPages
    return walPages >= duePages
  }

  /// Runs a checkpoint while `writer` holds the write lock. Returns true if it copied the entire log.
  @discardableResult
  mutating func run(excludingWritersWith writer: Connection) throws -> Bool {
    let connection = try self.connection ?? file.openAuxiliary()
    self.connection = connection
    // Set this before anything can fail: the next attempt comes some commits later, whatever the outcome of this one.
    duePages = max(writer.walPages, Checkpointer.threshold) + Checkpointer.retryInterval
    try writer.beginImmediate()
    defer { writer.endUnchanged() }
    var result = try connection.checkpoint()
    if checkpointedPages > 0, result.logPages >= Checkpointer.patienceThreshold {
      result = try waitForReaders(on: connection)
    }
    checkpointedPages = result.logPages
    return result.isComplete
  }

  /// Repeats the checkpoint until readers no longer need the log, or the patience runs out.
  ///
  /// Nobody commits meanwhile. First the readers of older commits close their views, so that the log can be copied to
  /// its end. Readers that start after that read only the database. Once the remaining readers of the log's end are
  /// done, the next writer starts the log over. There is no way to list these readers, so the wait is as long as a view
  /// lasts.
  private func waitForReaders(on connection: Connection) throws -> Connection.CheckpointResult {
    let deadline = ContinuousClock.now + Checkpointer.patience
    while true {
      let result = try connection.checkpoint()
      if result.isComplete { Threads.sleep(microseconds: UInt32(Checkpointer.patience / .microseconds(1))) }
      if result.isComplete || ContinuousClock.now >= deadline { return result }
      Threads.sleep(microseconds: 1_000)
    }
  }

  private mutating func startOver() {
    checkpointedPages = 0
    duePages = Checkpointer.threshold
  }

  mutating func close() {
    connection = nil
    startOver()
  }
}

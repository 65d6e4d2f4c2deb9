import DflatSQLite

/// Moves the write-ahead log into the database, between groups.
///
/// SQLite 3.7.0 to 3.51.2 can lose commits when a checkpoint runs beside a writer that resets the log. So the checkpoint
/// is a passive one on a connection of its own, while the write connection holds the write lock with an empty transaction:
/// no writer of any process can commit or reset until it is done. The next writer starts the log from its beginning.
struct Checkpointer {
  /// Pages in the log that make a checkpoint due: 4 MiB of pages of 4 KiB.
  static let threshold = 1_024
  /// While readers keep the log from starting over, the next checkpoint is due so many pages later.
  static let retryInterval = 256
  /// A log of so many pages (8 MiB) that did not start over after its last checkpoint is pinned by readers that come and
  /// go without a gap: from there on a checkpoint holds the writers back until the readers' views have gone.
  static let patienceThreshold = 2_048
  /// Longer than readers keep a view (`ReaderPool`). A snapshot that is held for longer pins the log all the same.
  static let patience = Duration.milliseconds(75)

  private let file: DatabaseFile
  private var connection: Connection?
  private var duePages = threshold
  /// Pages of the log after the newest commit.
  private var lastPages = 0
  /// Pages of the log at the last checkpoint; 0 when it has started over since.
  private var checkpointedPages = 0

  init(file: DatabaseFile) { self.file = file }

  mutating func isDue(walPages: Int) -> Bool {
    // Fewer pages than at the last look: the log has started over.
    if walPages <= checkpointedPages || walPages < lastPages { startOver() }
    lastPages = walPages
    return walPages >= duePages
  }

  /// True when nothing is left in the log.
  @discardableResult
  mutating func run(excludingWritersWith writer: Connection) throws -> Bool {
    let connection = try self.connection ?? file.openAuxiliary()
    self.connection = connection
    // Before anything can fail: the next try is some commits away, whatever comes of this one.
    duePages = max(writer.walPages, Checkpointer.threshold) + Checkpointer.retryInterval
    try writer.statement(.beginImmediate).run()
    defer { try? writer.statement(.rollback).run() }  // it wrote nothing
    var result = try connection.checkpoint()
    if checkpointedPages > 0, result.logPages >= Checkpointer.patienceThreshold {
      result = try outwaitReaders(on: connection)
    }
    checkpointedPages = result.logPages
    return result.isComplete
  }

  /// Nobody commits meanwhile. First the readers of older commits go, then the log can be copied to its end; from then on
  /// those that come read the database alone, and when those that still read the log's end have gone, the next writer
  /// starts it over. Who they are can't be asked: the wait is as long as views last.
  private func outwaitReaders(on connection: Connection) throws -> Connection.CheckpointResult {
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

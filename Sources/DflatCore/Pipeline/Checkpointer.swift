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

  private let file: DatabaseFile
  private var connection: Connection?
  private var duePages = threshold

  init(file: DatabaseFile) { self.file = file }

  mutating func isDue(walPages: Int) -> Bool {
    if walPages < Checkpointer.threshold { duePages = Checkpointer.threshold }
    return walPages >= duePages
  }

  mutating func run(excludingWritersWith writer: Connection) throws {
    let connection = try self.connection ?? file.openAuxiliary()
    self.connection = connection
    // Before anything can fail: the next try is some commits away, whatever comes of this one.
    duePages = max(writer.walPages, Checkpointer.threshold) + Checkpointer.retryInterval
    try writer.statement(.beginImmediate).run()
    defer { try? writer.statement(.rollback).run() }  // it wrote nothing
    try connection.checkpoint()
  }

  mutating func close() {
    connection = nil
    duePages = Checkpointer.threshold
  }
}

import CSQLite
import DflatSQLite
import TestSupport
import Testing

/// The WAL-reset bug of SQLite 3.7.0 to 3.51.2: a checkpoint beside writers loses acknowledged commits.
///
///     checkpointer                       writer
///     ───────────────────────────────    ─────────────────────────────────────────────
///                                        commits N frames; all are checkpointed
///     takes the checkpoint lock
///     reads the header: N frames
///     ── paused ──                       commits: the WAL is reset, its frames begin at 1 again
///     "0 of N frames are in the
///      database": copies what is there,
///      notes that N frames are in it
///                                        commits frames ≤ N: they count as copied, and never are
///                                        closes: the WAL is deleted with them
///
/// The pause is the call in which SQLite gives up its memory map after it has read a changed header.
@Suite struct WALResetTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory("wal-reset")
    path = directory.file()
  }

  private static var libraryIsFixed: Bool {
    switch sqlite3_libversion_number() {
    case 3_051_003...: true
    case 3_050_007..<3_051_000: true
    case 3_044_006..<3_045_000: true
    default: false
    }
  }

  /// Fills the WAL with many frames, all of them checkpointed, that `stale` hasn't seen.
  private func prepare(writer: RawConnection, stale: RawConnection) throws {
    try writer.execute("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (0)")
    _ = try stale.integer("SELECT n FROM t")
    for _ in 1...20 { try commit(writer) }
    let result = try writer.checkpointPassively()
    try #require(result.frames > 20 && result.checkpointed == result.frames)
  }

  /// Commits one frame: the page that holds the number.
  private func commit(_ connection: RawConnection) throws {
    try connection.execute("UPDATE t SET n = n + 1")
  }

  /// Pauses a checkpoint of `checkpointer` at the point that the bug needs, runs the closure, and resumes it.
  private func pause(_ checkpointer: RawConnection, while body: () throws -> Void) throws {
    let paused = Gate("the checkpoint has read the header")
    let resumed = Gate("the checkpoint may go on")
    let plan = try FaultPlan(.unfetch, on: .main, in: path, at: .once(1)) {
      paused.open()
      return (try? resumed.wait()) == nil ? .ioError : nil
    }
    let thread = BackgroundThread("checkpoint") { try checkpointer.checkpointPassively() }
    defer { resumed.open() }
    try paused.wait()
    try body()
    resumed.open()
    try thread.join()
    #expect(plan.faultCount == 1)
  }

  /// Runs the closure, whose own connections close at its end, and counts the remaining commits.
  private func commitsAfterwards(_ body: () throws -> Void) throws -> Int {
    try body()
    let reader = try RawConnection(path)
    #expect(try reader.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0)
    return try reader.integer("SELECT n FROM t")
  }

  @Test("The library knows whether SQLite has the WAL-reset bug")
  func theLibraryKnowsWhetherSQLiteHasTheBug() {
    #expect(SQLiteLibrary.hasWALResetBug == !Self.libraryIsFixed)
  }

  @Test("A checkpoint beside a writer loses commits if SQLite has the WAL-reset bug")
  func aCheckpointBesideAWriterLosesCommits() throws {
    let acknowledged = 26
    let left = try commitsAfterwards {
      let writer = try RawConnection(path)
      let checkpointer = try RawConnection(path)
      try prepare(writer: writer, stale: checkpointer)
      try pause(checkpointer) { try commit(writer) }
      for _ in 1...5 { try commit(writer) }
    }
    if Self.libraryIsFixed {
      #expect(left == acknowledged)
    } else {
      #expect(left < acknowledged, "This version of SQLite has the bug and loses commits")
    }
  }

  /// The rule of this project: a checkpoint excludes the writers of every process, here by a transaction on a second
  /// connection. Then the same schedule can't happen.
  @Test("A checkpoint that excludes writers loses no commit")
  func aCheckpointThatExcludesWritersLosesNothing() throws {
    let left = try commitsAfterwards {
      let writer = try RawConnection(path)
      let checkpointer = try RawConnection(path)
      let sibling = try RawConnection(path)
      try prepare(writer: writer, stale: checkpointer)
      try sibling.execute("BEGIN IMMEDIATE")
      try pause(checkpointer) {
        #expect(throws: RawConnection.Failure.busy) { try commit(writer) }
      }
      try sibling.execute("ROLLBACK")
      for _ in 1...6 { try commit(writer) }
    }
    #expect(left == 26)
  }

  /// The sibling's own read mark must not keep the checkpoint from copying everything.
  @Test("A checkpoint that excludes writers copies the whole log")
  func aCheckpointThatExcludesWritersCopiesTheWholeWAL() throws {
    let writer = try RawConnection(path)
    let checkpointer = try RawConnection(path)
    try prepare(writer: writer, stale: checkpointer)
    for _ in 1...6 { try commit(writer) }
    let sibling = try RawConnection(path)
    try sibling.execute("BEGIN IMMEDIATE")
    let result = try checkpointer.checkpointPassively()
    #expect(result.frames > 0 && result.checkpointed == result.frames)
    try sibling.execute("ROLLBACK")
  }
}

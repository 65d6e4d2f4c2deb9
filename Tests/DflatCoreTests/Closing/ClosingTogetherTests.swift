import DflatKV
import DflatSQLite
import TestSupport
import Testing

/// Connections that close at the same time each find the other, so that SQLite removes the log for neither.
@Suite struct ClosingTogetherTests {
  ///     workspace:  can't lock the file alone ───────────────────────── unlocks it, looks for a log
  ///     another:    opens the file before that ─ closes, finds the workspace ─┘
  @Test("A connection that closes at the same time leaves no log behind")
  func anotherConnection() throws {
    let test = try TestWorkspace { $0.vfs = FaultPlan.vfsName }
    try test.workspace.transactAndWait { $0.dictionary["key"] = 1 }
    #expect(test.dictionary["key", Int.self] == 1)
    // The other connection is open while one of the workspace's asks for the file alone, and closes while that one
    // still has its lock. It leaves the workspace alone once that opens the file again.
    let another = Another(test.path)
    let locks = try FaultPlan(.lock, on: .main, in: test.directory.path, at: .from(1)) {
      another.open()
      return nil
    }
    let unlocks = try FaultPlan(.unlock, on: .main, in: test.directory.path, at: .from(1)) {
      another.close()
      return nil
    }
    let openings = try FaultPlan(.open, on: .main, in: test.directory.path, at: .from(1)) {
      another.stop()
      return nil
    }
    test.workspace.shutdown()
    for plan in [locks, unlocks, openings] { plan.cancel() }
    #expect(another.meetings > 0 && another.hasStopped)
    #expect(try Files.names(in: test.directory) == ["test.db", "test.db-dflat"])
  }

  @Test("Workspaces of a process that shut down at the same time leave no log behind", arguments: [false, true])
  func workspaces(bothWrite: Bool) throws {
    for _ in 0..<100 {
      let test = try TestWorkspace()
      test.dictionary["key"] = 1
      try test.dictionary.synchronize()
      let other = try test.another()
      #expect(other.dictionary["key", Int.self] == 1)
      if bothWrite { try other.workspace.transactAndWait { $0.dictionary["other"] = 1 } }
      let barrier = Barrier(parties: 2)
      let threads = [test.workspace, other.workspace].map { workspace in
        BackgroundThread {
          try barrier.arriveAndWait()
          workspace.shutdown()
        }
      }
      for thread in threads { try thread.join() }
      #expect(try Files.names(in: test.directory) == ["test.db", "test.db-dflat"])
    }
  }
}

/// A connection beside a workspace. Used by one thread at a time: the one that shuts the workspace down.
private final class Another: @unchecked Sendable {
  private let path: String
  private var connection: Connection?
  /// The number of the workspace's connections that have found this one.
  private(set) var meetings = 0
  private(set) var hasStopped = false

  init(_ path: String) { self.path = path }

  func open() {
    guard connection == nil, !hasStopped else { return }
    connection = try? Connection(path: path, mode: .readWrite, busyTimeout: .zero)
    // The lock is taken with the first read.
    _ = try? connection?.integer("PRAGMA schema_version")
  }

  func close() {
    if connection != nil { meetings += 1 }
    connection = nil
  }

  /// Stays closed if the workspace has begun to close its connections. It may open one before that.
  func stop() {
    if meetings == 0 { return }
    connection = nil
    hasStopped = true
  }
}

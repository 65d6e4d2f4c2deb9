import DflatCore
import DflatKV
import TestSupport
import Testing

/// A transaction that read before it took the baton, while another process committed.
@Suite struct ConflictTests {
  private let bench: Bench
  private let other: SQLiteWorkspace
  private var workspace: SQLiteWorkspace { bench.workspace }

  init() throws {
    bench = try Bench()
    other = try bench.other()
  }

  private static func interfere(_ other: SQLiteWorkspace) throws {
    try other.transactAndWait { txn in txn.dictionary["foreign", default: 0] += 1 }
  }

  /// this:   reads ───────────────── takes the baton: conflict ─► runs again
  /// other:          └─ commits ─┘
  @Test("A3: a transaction whose reading is outdated runs again")
  func retry() throws {
    var attempts = 0
    let seen = try workspace.transactAndWait([Author.self]) { txn in
      attempts += 1
      txn.noteReadBeforeBaton()
      if attempts < 3 { try Self.interfere(other) }
      txn.dictionary["mine"] = attempts
      return txn.dictionary["foreign", Int.self]
    }
    #expect(attempts == 3)
    #expect(seen == 2)
    #expect(workspace.dictionary["mine", Int.self] == 3)
    #expect(workspace.commitNumber == 3)
  }

  @Test func retryOfTheAsyncForm() async throws {
    let attempts = Lock(0)
    let result = try await workspace.transact([Author.self]) { [other] txn in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      txn.noteReadBeforeBaton()
      if attempt == 1 { try Self.interfere(other) }
      txn.dictionary["mine"] = attempt
      return attempt
    }
    #expect(result == 2)
    #expect(workspace.dictionary["mine", Int.self] == 2)
  }

  @Test func performChangesTellsOfTheConflict() async throws {
    let isDone = await workspace.performChanges([Author.self]) { [other] txn in
      txn.noteReadBeforeBaton()
      #expect(throws: Never.self) { try Self.interfere(other) }
      txn.dictionary["mine"] = 1
    }
    #expect(!isDone)
    #expect(workspace.dictionary["mine", Int.self] == nil)
    #expect(workspace.dictionary["foreign", Int.self] == 1)
  }

  @Test func aClosureThatIsAlwaysTooLateIsToldSo() throws {
    var attempts = 0
    let code = try errorCode {
      try workspace.transactAndWait { txn in
        attempts += 1
        txn.noteReadBeforeBaton()
        try Self.interfere(other)
        txn.dictionary["mine"] = 1
      }
    }
    #expect(code == .conflict)
    #expect(attempts == 100)
    #expect(workspace.dictionary["mine", Int.self] == nil)
  }

  @Test func whatWasNotReadIsNoConflict() throws {
    var attempts = 0
    try workspace.transactAndWait { txn in
      attempts += 1
      try Self.interfere(other)
      txn.dictionary["mine"] = txn.dictionary["foreign", Int.self]
      txn.noteReadBeforeBaton()
    }
    #expect(attempts == 1)
    #expect(workspace.dictionary["mine", Int.self] == 1)
  }

  @Test func ownCommitsAreNoConflict() throws {
    let mayCommit = Gate("the other thread may commit")
    let hasCommitted = Gate("the other thread has committed")
    let neighbour = BackgroundThread("neighbour") { [workspace] in
      try mayCommit.wait()
      try workspace.transactAndWait([Book.self]) { txn in txn.dictionary["neighbour"] = 1 }
      hasCommitted.open()
    }
    var attempts = 0
    try workspace.transactAndWait([Author.self]) { txn in
      attempts += 1
      txn.noteReadBeforeBaton()
      mayCommit.open()
      try hasCommitted.wait()
      txn.dictionary["mine"] = 1
    }
    try neighbour.join()
    #expect(attempts == 1)
  }
}

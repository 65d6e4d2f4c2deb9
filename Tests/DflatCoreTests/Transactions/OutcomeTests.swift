import CSQLite
import DflatKV
import DflatSQLite
import TestSupport
import Testing

/// The outcomes of transactions, and the absence of traces of failed ones (A1, A2).
@Suite struct OutcomeTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }
  private let events = EventLog<String>()

  init() throws {
    test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in txn.dictionary["kept"] = 1 }
  }

  /// Expects that the file, the cache and the observers show only the first transaction.
  private func expectNoTrace() throws {
    #expect(workspace.commitNumber == 1)
    #expect(workspace.dictionary["kept", Int.self] == 1)
    #expect(workspace.dictionary["new", Int.self] == nil)
    #expect(workspace.dictionary.keys == ["kept"])
    #expect(try test.stored("kept") == 1)
    #expect(try test.stored("new") == nil)
    // Any other notification would be delivered before this one.
    try workspace.transactAndWait { txn in txn.dictionary["marker"] = 1 }
    #expect(events.events.filter { !$0.hasPrefix("marker") } == ["kept is 1", "new is nothing"])
  }

  private func observing(_ body: () throws -> Void) rethrows {
    let subscriptions = ["kept", "new", "marker"].map { name in
      workspace.dictionary.subscribe(name, of: Int.self, changeHandler: events.noting(name))
    }
    try body()
    for subscription in subscriptions { subscription.cancel() }
  }

  private func spoil(_ txn: TransactionContext) {
    txn.dictionary["kept"] = 2
    txn.dictionary["new"] = 2
    #expect(txn.dictionary["kept", Int.self] == 2)
  }

  @Test("A2: An aborted transaction leaves no trace")
  func abort() throws {
    try observing {
      let code = try errorCode {
        try workspace.transactAndWait { txn in
          spoil(txn)
          let answers = [txn.abort(), txn.abort()]
          #expect(answers == [true, false])
          txn.dictionary["new"] = 3
          #expect(txn.dictionary["kept", Int.self] == nil, "An aborted transaction reads nothing")
          let inner = try errorCode { _ = try txn.dictionary.value(forKey: "kept", as: Int.self) }
          #expect(inner == .aborted)
        }
      }
      #expect(code == .aborted)
      try expectNoTrace()
    }
  }

  @Test("A2: A transaction that throws leaves no trace, and its error is rethrown unchanged")
  func throwing() throws {
    try observing {
      let error = #expect(throws: Refusal.self) {
        try workspace.transactAndWait { txn in
          spoil(txn)
          throw Refusal(reason: "not today")
        }
      }
      #expect(error == Refusal(reason: "not today"))
      try expectNoTrace()
    }
  }

  @Test("An asynchronous transaction throws its closure's error or returns its value")
  func asyncTransactionsThrowAndReturn() async throws {
    await #expect(throws: Refusal.self) {
      try await workspace.transact { txn in
        txn.dictionary["new"] = 2
        throw Refusal()
      }
    }
    let aborted = await #expect(throws: WorkspaceError.self) {
      try await workspace.transact([Author.self]) { txn in
        txn.dictionary["new"] = 2
        txn.abort()
      }
    }
    #expect(aborted?.code == .aborted)
    #expect(workspace.commitNumber == 1)
    #expect(try await workspace.transact { txn in txn.dictionary["kept", Int.self] } == 1)
  }

  @Test("A2: performChanges returns false for an aborted transaction")
  func performChangesAborts() async throws {
    let isDone = await workspace.performChanges([Author.self]) { txn in
      txn.dictionary["new"] = 2
      txn.abort()
    }
    #expect(!isDone)
    #expect(workspace.dictionary["new", Int.self] == nil)
    #expect(await workspace.performChanges([Author.self]) { txn in txn.dictionary["new"] = 3 })
    #expect(workspace.dictionary["new", Int.self] == 3)
  }

  @Test("A transaction of performChanges needs no completion handler")
  func nobodyNeedsToAsk() throws {
    workspace.performChanges([]) { txn in txn.dictionary["unasked"] = 1 }
    try workspace.transactAndWait { txn in #expect(txn.dictionary["unasked", Int.self] == 1) }
  }

  @Test("A blocking transaction returns its closure's value")
  func valuesAreReturned() throws {
    #expect(try workspace.transactAndWait { _ in 5 } == 5)
    let nothing: Int?? = try workspace.transactAndWait { _ in Int?.none }
    #expect(nothing == .some(nil))
    let pair = try workspace.transactAndWait([Author.self, Book.self]) { txn in
      (txn.dictionary["kept", Int.self], txn.dictionary["new", Int.self])
    }
    #expect(pair == (1, nil))
  }

  @Test("A transaction that changes nothing makes no commit")
  func aTransactionThatChangesNothingGivesNoCommit() throws {
    try workspace.transactAndWait { txn in #expect(txn.dictionary["kept", Int.self] == 1) }
    try workspace.transactAndWait { txn in txn.dictionary["kept"] = 1 }
    try workspace.transactAndWait { txn in txn.dictionary["never"] = Int?.none }
    #expect(workspace.commitNumber == 1)
  }

  /// writer:  left = right = n ────────────── COMMIT
  /// readers:        plain, snapshot, newcomer: both are n - 1, or both are n
  @Test("A1: No reader sees one change of a transaction without the other")
  func bothOrNeither() throws {
    try workspace.transactAndWait { txn in
      txn.dictionary["left"] = 0
      txn.dictionary["right"] = 0
    }
    let isStaged = Gate("staged")
    let isSeen = Gate("seen")
    let writer = BackgroundThread("writer") { [workspace] in
      try workspace.transactAndWait { txn in
        txn.dictionary["left"] = 1
        txn.dictionary["right"] = 1
        isStaged.open()
        try isSeen.wait()
      }
    }
    try isStaged.wait()
    let other = try TestWorkspace.open(test.path)
    for reader in [workspace, other] {
      for key in ["left", "right"] {
        #expect(reader.dictionary[key, Int.self] == 0)
        #expect(reader.fetchWithinASnapshot { reader.dictionary[key, Int.self] } == 0)
      }
    }
    #expect(workspace.commitNumber == 2)
    isSeen.open()
    try writer.join()
    for reader in [workspace, other] {
      let seen = reader.fetchWithinASnapshot {
        (reader.dictionary["left", Int.self], reader.dictionary["right", Int.self])
      }
      #expect(seen == (1, 1))
    }
  }

  @Test("A4: A completion handler runs after the observers, and sees the commit")
  func completionsComeLast() throws {
    let events = EventLog<String>()
    let subscription = workspace.dictionary.subscribe("new", of: Int.self, changeHandler: events.noting("new"))
    for value in 1...20 {
      workspace.performChanges([]) { txn in
        txn.dictionary["new"] = value
      } completionHandler: { [workspace] isDone in
        // Later transactions may be committed already; earlier ones certainly are.
        events.append("completed \(value): \(isDone && workspace.dictionary["new", default: 0] >= value)")
      }
    }
    let seen = try events.wait(forCount: 41)
    for value in 1...20 {
      let update = try #require(seen.firstIndex(of: "new became \(value)"))
      let completion = try #require(seen.firstIndex(of: "completed \(value): true"))
      #expect(update < completion)
    }
    subscription.cancel()
  }

  @Test("A SQLite error that a closure throws becomes a WorkspaceError")
  func thrownSQLiteErrors() throws {
    try observing {
      let error = #expect(throws: WorkspaceError.self) {
        try workspace.transactAndWait { txn in
          spoil(txn)
          throw SQLiteError(extendedCode: SQLITE_FULL, message: "full")
        }
      }
      #expect(error?.code == .diskFull && error?.sqlite?.extendedCode == SQLITE_FULL)
      try expectNoTrace()
    }
  }
}

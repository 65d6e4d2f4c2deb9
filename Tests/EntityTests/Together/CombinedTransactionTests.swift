import DflatCore
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Entities and keys in one transaction: both are there, or neither is (A1, A2).
@Suite struct CombinedTransactionTests {
  private let bench: EntityBench
  private var workspace: SQLiteWorkspace { bench.workspace }

  init() throws { bench = try EntityBench() }

  /// What each place shows of a combined transaction, as (title, key).
  private func expectEverywhere(title: String?, key: String?, _ what: Comment) throws {
    func check(_ workspace: SQLiteWorkspace) throws {
      try workspace.fetchWithinASnapshot {
        let found = try workspace.query(for: Post.self).fetch().map(\.title)
        #expect(found == (title.map { [$0] } ?? []), what)
        #expect(try workspace.dictionary.value(forKey: "lastPost", as: String.self) == key, what)
      }
      #expect(workspace.fetch(for: Post.self).all().map(\.title) == (title.map { [$0] } ?? []), what)
      #expect(workspace.dictionary["lastPost", String.self] == key, what)
    }
    try check(workspace)
    let other = try bench.other()
    defer { other.shutdown() }
    try check(other)
    try EntityFileCheck(Post.self, in: bench.path).objects()
  }

  private static func submitBoth(_ txn: TransactionContext, _ title: String) throws {
    try txn.submit(PostChangeRequest.creationRequest(Post(title: title, priority: 3)))
    txn.dictionary["lastPost"] = title
  }

  @Test("A1: committed, both are there")
  func commit() async throws {
    let isDone = await workspace.performChanges([Post.self]) { txn in
      txn.try(submit: PostChangeRequest.creationRequest(Post(title: "one")))
      txn.dictionary["lastPost"] = "one"
    }
    #expect(isDone)
    try expectEverywhere(title: "one", key: "one", "committed")
  }

  @Test("A2: aborted, neither is there")
  func abort() async throws {
    let isDone = await workspace.performChanges([Post.self]) { txn in
      txn.try(submit: PostChangeRequest.creationRequest(Post(title: "one")))
      txn.dictionary["lastPost"] = "one"
      txn.abort()
    }
    #expect(!isDone)
    try expectEverywhere(title: nil, key: nil, "aborted")
  }

  private struct Refusal: Error {}

  @Test("A2: a thrown error undoes both", arguments: [false, true])
  func thrownError(afterAnother: Bool) throws {
    if afterAnother { try workspace.transactAndWait([Post.self]) { try Self.submitBoth($0, "before") } }
    #expect(throws: Refusal.self) {
      try workspace.transactAndWait([Post.self]) { txn in
        try Self.submitBoth(txn, "one")
        throw Refusal()
      }
    }
    try expectEverywhere(title: afterAnother ? "before" : nil, key: afterAnother ? "before" : nil, "thrown")
  }

  /// The group goes on without the one that failed: what the others wrote in the same COMMIT stays.
  /// The first of a group has no savepoint to go back to.
  @Test("A1: in one group, the transaction that aborts alone is undone", arguments: 0..<3)
  func groupMember(_ aborting: Int) throws {
    // However slow the machine is.
    let bench = try EntityBench { $0.groupPolicy.maximumAge = .seconds(3_600) }
    let workspace = bench.workspace
    let isRunning = Gate("the first runs")
    let areQueued = Gate("the others are queued")
    let outcomes = EventLog<Bool>()
    for number in 0..<3 {
      workspace.performChanges([Post.self]) { txn in
        if number == 0 {
          isRunning.open()
          try? areQueued.wait()
        }
        txn.try(submit: PostChangeRequest.creationRequest(Post(title: "p\(number)")))
        txn.dictionary["k\(number)"] = number
        if number == aborting { txn.abort() }
      } completionHandler: {
        outcomes.append($0)
      }
      if number == 0 { try isRunning.wait() }
    }
    areQueued.open()
    let others = (0..<3).filter { $0 != aborting }
    #expect(try outcomes.wait(forCount: 3) == (0..<3).map { $0 != aborting })
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == others.map { "p\($0)" })
    #expect(workspace.dictionary.keys.sorted() == others.map { "k\($0)" })
    #expect(workspace.commitNumber == 1, "one COMMIT carried all")
    try EntityFileCheck(Post.self, in: bench.path).objects()
  }

  @Test("A failed submission leaves the transaction usable, and nothing of itself")
  func failedSubmission() throws {
    try workspace.transactAndWait([Post.self]) { try Self.submitBoth($0, "one") }
    try workspace.transactAndWait([Post.self]) { txn in
      let error = try #require(throws: WorkspaceError.self) {
        try txn.submit(PostChangeRequest.creationRequest(Post(title: "one", priority: 9)))
      }
      #expect(error.code == .objectAlreadyExists)
      #expect(error.field == "title")
      txn.dictionary["lastPost"] = "still one"
    }
    try expectEverywhere(title: "one", key: "still one", "failed submission")
    #expect(workspace.fetch(for: Post.self).all().first?.priority == 3)
  }

  @Test("A6: a snapshot shows both as of one commit")
  func snapshot() throws {
    try workspace.transactAndWait([Post.self]) { try Self.submitBoth($0, "one") }
    let other = try bench.other()
    defer { other.shutdown() }
    try workspace.fetchWithinASnapshot {
      let first = workspace.fetch(for: Post.self).all()
      try other.transactAndWait([Post.self]) { txn in
        try txn.delete(Post(title: "one"))
        try Self.submitBoth(txn, "two")
      }
      #expect(first.map(\.title) == ["one"])
      #expect(workspace.dictionary["lastPost", String.self] == "one")
      #expect(workspace.fetch(for: Post.self).all() == first)
      #expect(first.first?._changesTimestamp == Int64(workspace.commitNumber))
    }
    try expectEverywhere(title: "two", key: "two", "after the snapshot")
  }
}

import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Entities and keys in one transaction: both are committed or neither is (A1, A2).
@Suite struct CombinedTransactionTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  /// Expects the workspace, another one on the same file, and the file itself to show a transaction's title and key.
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
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try check(other)
    try EntityFileCheck(Post.self, in: test.path).objects()
  }

  private static func submitBoth(_ txn: TransactionContext, _ title: String) throws {
    try txn.submit(PostChangeRequest.creationRequest(Post(title: title, priority: 3)))
    txn.dictionary["lastPost"] = title
  }

  @Test("A1: A committed transaction leaves both its object and its key")
  func commit() async throws {
    let isDone = await workspace.performChanges([Post.self]) { txn in
      txn.try(submit: PostChangeRequest.creationRequest(Post(title: "one")))
      txn.dictionary["lastPost"] = "one"
    }
    #expect(isDone)
    try expectEverywhere(title: "one", key: "one", "committed")
  }

  @Test("A2: An aborted transaction leaves neither its object nor its key")
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

  @Test("A2: A thrown error undoes both the object and the key", arguments: [false, true])
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

  /// The group goes on without the transaction that aborts: the same COMMIT keeps the changes of the others.
  /// The first member of a group has no savepoint to go back to.
  @Test("A1: Only the transaction that aborts is undone in its group", arguments: 0..<3)
  func groupMember(_ aborting: Int) throws {
    // The group must not end early on a slow machine.
    let test = try TestWorkspace { $0.commitLate() }
    let workspace = test.workspace
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
    #expect(workspace.commitNumber == 1, "the group took more than one COMMIT")
    try EntityFileCheck(Post.self, in: test.path).objects()
  }

  @Test("A failed submission changes nothing and leaves the transaction usable")
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

  @Test("A6: A snapshot shows objects and keys as of one commit")
  func snapshot() throws {
    try workspace.transactAndWait([Post.self]) { try Self.submitBoth($0, "one") }
    let other = try TestWorkspace.open(test.path)
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

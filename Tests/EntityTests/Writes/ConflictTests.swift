import DflatKV
import Dispatch
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Transactions that read before they take the write token, while another process commits.
@Suite struct ConflictTests {
  private let test: TestWorkspace
  private let other: SQLiteWorkspace
  private let post: Post
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    other = try TestWorkspace.open(test.path)
    post = try #require(try test.workspace.insert(Post(title: "a")).first)
  }

  private static func interfere(_ other: SQLiteWorkspace) throws {
    try other.transactAndWait([Post.self]) { _ = try $0.update(Post(title: "a")) { $0.priority += 1 } }
  }

  private struct Tracer: WorkspaceTracer, WorkspaceSpan {
    let events: EventLog<String>

    func beginSpan(_ operation: TracedOperation) -> any WorkspaceSpan {
      events.append("begins")
      return self
    }

    func within(_ body: () throws -> Void) rethrows {
      events.append("runs")
      try body()
    }

    func end(throwing error: (any Error)?) { events.append("ends") }
  }

  /// this:   reads ───────────────── takes the token: conflict ─► runs again
  /// other:          └─ commits ─┘
  @Test("A3: A transaction whose reads are outdated runs again")
  func retry() throws {
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn in
      attempts += 1
      let request = try #require(PostChangeRequest.changeRequest(post))
      if attempts < 3 { try Self.interfere(other) }
      request.priority += 10
      try txn.submit(request)
    }
    #expect(attempts == 3)
    #expect(try test.stored(Post.self).first?.priority == 12)
  }

  @Test("The closures that run again run in the span of their transaction")
  func spans() throws {
    let events = EventLog<String>()
    let traced = try TestWorkspace.open(test.path) { $0.tracer = Tracer(events: events) }
    var attempts = 0
    try traced.transactAndWait([Post.self]) { txn in
      attempts += 1
      _ = txn.fetch(for: Post.self).count()
      if attempts < 3 { try Self.interfere(other) }
      txn.dictionary["attempts"] = attempts
    }
    #expect(events.events == ["begins", "runs", "runs", "runs", "ends"])
  }

  @Test("A3: A commit that doesn't name its rows makes reads of its table outdated")
  func changesThatAreNotNamed() throws {
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn in
      attempts += 1
      #expect(txn.fetch(for: Post.self).count() == (attempts == 1 ? 1 : 0))
      if attempts == 1 { try other.transactAndWait([Post.self]) { _ = try $0.deleteAll(Post.self) } }
      txn.dictionary["attempts"] = attempts
    }
    #expect(attempts == 2)
  }

  @Test("A3: A commit whose record can't be read makes reads outdated")
  func unreadableRecord() throws {
    Failpoint.beforeCommit.arm(in: other.core) { [other] in
      do {
        try other.core.pipeline.writer.group?.connection.execute(
          "UPDATE dflat_log SET changes = x'0201FF' WHERE commit_number = (SELECT max(commit_number) FROM dflat_log)")
      } catch { Issue.record(error) }
    }
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn in
      attempts += 1
      #expect(txn.fetch(for: Post.self).count() == 1)
      if attempts == 1 { try Self.interfere(other) }
      txn.dictionary["attempts"] = attempts
    }
    Failpoint.beforeCommit.arm(in: other.core, nil)
    #expect(attempts == 2)
  }

  @Test("A creation request made outside the closure can be submitted again after a conflict")
  func aCreationThatWasInTheWayIsSubmittedAgain() throws {
    let creation = PostChangeRequest.creationRequest(Post(title: "b"))
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn in
      attempts += 1
      _ = PostChangeRequest.changeRequest(post)
      if attempts == 1 { try Self.interfere(other) }
      try txn.submit(creation)
    }
    #expect(attempts == 2)
    #expect(try test.stored(Post.self).map(\.title) == ["a", "b"])
  }

  @Test("An asynchronous transaction whose reads are outdated runs again")
  func retryOfTheAsyncForm() async throws {
    let attempts = Lock(0)
    let result = try await workspace.transact([Post.self]) { [other, post] txn in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      let request = try #require(PostChangeRequest.changeRequest(post))
      if attempt == 1 { try Self.interfere(other) }
      request.tag = "mine"
      try txn.submit(request)
      return attempt
    }
    #expect(result == 2)
    #expect(try test.stored(Post.self) == [Post(title: "a", tag: "mine", priority: 1)])
  }

  /// this:    reads ──────────────────────────── takes the token: conflict ─► runs again ── commits
  /// other:           └─ commits ─┘
  /// closer:                       └─ begins ──────────────────────────────────────────────────────── closes
  @Test("An asynchronous transaction that was called before shutdown runs again after a conflict")
  func retryDuringShutdown() async throws {
    let attempts = Lock(0)
    let result = try await workspace.transact([Post.self]) { [workspace, other, post] txn in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      let request = try #require(PostChangeRequest.changeRequest(post))
      if attempt == 1 {
        try Self.interfere(other)
        workspace.shutdown()
      }
      request.tag = "mine"
      try txn.submit(request)
      return attempt
    }
    #expect(result == 2)
    await workspace.shutdown()
    #expect(try test.stored(Post.self) == [Post(title: "a", tag: "mine", priority: 1)])
    let failure = await #expect(throws: WorkspaceError.self) { try await workspace.transact { _ in } }
    #expect(failure?.code == .shutdown)
  }

  @Test("An asynchronous transaction in a cancelled task runs again after a conflict, in one span")
  func cancelledTask() async throws {
    let events = EventLog<String>()
    let traced = try TestWorkspace.open(test.path) { $0.tracer = Tracer(events: events) }
    let attempts = Lock(0)
    let task = Task { [other] in
      while !Task.isCancelled { await Task.yield() }
      return try await traced.transact([Post.self]) { txn in
        let attempt = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        _ = txn.fetch(for: Post.self).count()
        if attempt < 3 { try Self.interfere(other) }
        txn.dictionary["attempts"] = attempt
        return attempt
      }
    }
    task.cancel()
    #expect(try await task.value == 3)
    #expect(events.events == ["begins", "runs", "runs", "runs", "ends"])
    await traced.shutdown()
  }

  /// this:    reads ──────────────────────────────────── takes the token: conflict ─► is queued           ─► commits
  /// other:           └─ commits ─┘
  /// closer:                       └─ begins ───────────────────────────────────────────────────────────────── closes
  /// queue:                                 is suspended ─┘                              goes on ─┘
  @Test("An asynchronous transaction that runs again waits for its target queue, and shutdown for the transaction")
  func suspendedTargetQueue() async throws {
    let queue = DispatchQueue(label: "target")
    let queued = try TestWorkspace.open(test.path) { $0.targetQueue = queue }
    let (attempts, isSuspended) = (Lock(0), Lock(false))
    let closed = EventLog<Bool>()
    async let result = queued.transact([Post.self]) { [other] txn in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      _ = txn.fetch(for: Post.self).count()
      if attempt == 1 {
        try Self.interfere(other)
        queued.shutdown { closed.append(true) }
        // This closure goes on, and the next one waits.
        queue.suspend()
        isSuspended.withLock { $0 = true }
      }
      _ = try txn.insert(Post(title: "b"))
      return attempt
    }
    while !isSuspended.withLock({ $0 }) { await Task.yield() }
    // The callback of the conflict is the first one.
    while queued.core.pipeline.isWriteTokenHeld { await Task.yield() }
    try queued.settle()
    #expect(attempts.withLock { $0 } == 1)
    #expect(closed.events.isEmpty)
    queue.resume()
    #expect(try await result == 2)
    try closed.wait(forCount: 1)
  }

  @Test("A conflict undoes the closure of performChanges, which returns false")
  func performChangesTellsOfTheConflict() async throws {
    let isDone = await workspace.performChanges([Post.self]) { [other, post] txn in
      let request = PostChangeRequest.changeRequest(post)
      #expect(throws: Never.self) { try Self.interfere(other) }
      request.tag = "mine"
      txn.try(submit: request)
      txn.dictionary["mine"] = 1
    }
    #expect(!isDone)
    #expect(workspace.dictionary["mine", Int.self] == nil)
    #expect(try test.stored(Post.self) == [Post(title: "a", priority: 1)])
  }

  @Test("A transaction that conflicts in 100 attempts throws the conflict")
  func aClosureThatIsAlwaysTooLateIsToldSo() throws {
    var attempts = 0
    let code = try errorCode {
      try workspace.transactAndWait([Post.self]) { txn in
        attempts += 1
        let request = PostChangeRequest.changeRequest(post)
        try Self.interfere(other)
        try txn.submit(request)
      }
    }
    #expect(code == .conflict)
    #expect(attempts == 100)
  }

  // MARK: Other transactions' conflicts

  /// Runs a transaction that always conflicts. Its error isn't a conflict of a transaction around it.
  private func conflictOfAnother() throws {
    try workspace.transactAndWait([Post.self]) { txn in
      let request = PostChangeRequest.changeRequest(post)
      try Self.interfere(other)
      try txn.submit(request)
    }
  }

  @Test("A closure that throws the conflict of a nested transaction of another workspace runs once")
  func conflictOfANestedTransaction() throws {
    let around = try TestWorkspace()
    var attempts = 0
    let code = try errorCode {
      try around.workspace.transactAndWait([Post.self]) { txn in
        attempts += 1
        _ = txn.fetch(for: Post.self).count()
        txn.dictionary["attempts"] = attempts
        try conflictOfAnother()
      }
    }
    #expect(code == .conflict)
    #expect(attempts == 1)
    #expect(around.workspace.dictionary["attempts", Int.self] == nil)
  }

  @Test("A closure of the async form that throws another transaction's conflict runs once")
  func conflictOfAnotherInTheAsyncForm() async throws {
    let conflict = try #require(throws: WorkspaceError.self) { try conflictOfAnother() }
    let attempts = Lock(0)
    await #expect(throws: WorkspaceError.self) {
      try await workspace.transact([Post.self]) { _ in
        attempts.withLock { $0 += 1 }
        throw conflict
      }
    }
    #expect(attempts.withLock { $0 } == 1)
  }

  @Test("The body of a key's update that throws another transaction's conflict runs once")
  func conflictOfAnotherInAnUpdate() throws {
    let conflict = try #require(throws: WorkspaceError.self) { try conflictOfAnother() }
    var attempts = 0
    #expect(throws: WorkspaceError.self) {
      try workspace.dictionary.update("key", default: 0) { _ in
        attempts += 1
        throw conflict
      }
    }
    #expect(attempts == 1)
  }

  @Test("A closure that throws another transaction's conflict after its own conflict runs again")
  func bothConflicts() throws {
    let conflict = try #require(throws: WorkspaceError.self) { try conflictOfAnother() }
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn in
      attempts += 1
      let request = PostChangeRequest.changeRequest(post)
      if attempts > 1 { return }
      try Self.interfere(other)
      #expect(throws: WorkspaceError.self) { try txn.submit(request) }
      throw conflict
    }
    #expect(attempts == 2)
  }

  // MARK: No conflicts

  @Test("Another process's commits to other tables and to keys are no conflict")
  func anotherTableIsNoConflict() throws {
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn in
      attempts += 1
      let request = try #require(PostChangeRequest.changeRequest(post))
      request.tag = "mine"
      try other.insert(Member(number: UInt64(attempts)))
      try other.transactAndWait { $0.dictionary["foreign"] = 1 }
      try txn.submit(request)
    }
    #expect(attempts == 1)
    #expect(try test.stored(Post.self).first?.tag == "mine")
  }

  @Test("A table that another process creates after it was looked for is a conflict")
  func aTableThatIsNewIsOne() throws {
    var attempts = 0
    let member = try workspace.transactAndWait([Member.self]) { txn in
      attempts += 1
      let found = MemberChangeRequest.changeRequest(Member(number: 1))
      if attempts == 1 { try other.insert(Member(number: 1)) }
      try txn.insert(Member(number: 2))
      return found?.number
    }
    #expect(attempts == 2)
    #expect(member == 1)
  }

  @Test("Another process's commit before the first read is no conflict")
  func whatWasNotReadIsNoConflict() throws {
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn in
      attempts += 1
      try Self.interfere(other)
      let request = try #require(PostChangeRequest.changeRequest(post))
      #expect(request.priority == 1)
      request.tag = "mine"
      try txn.submit(request)
    }
    #expect(attempts == 1)
  }

  @Test("A transaction that only reads has no conflict and keeps its view")
  func readingAloneIsNoConflict() throws {
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { _ in
      attempts += 1
      let before = PostChangeRequest.changeRequest(post)?.priority
      try Self.interfere(other)
      #expect(PostChangeRequest.changeRequest(post)?.priority == before)
    }
    #expect(attempts == 1)
  }

  @Test("Commits of the same workspace to other types are no conflict")
  func ownCommitsAreNoConflict() throws {
    let mayCommit = Gate("the other thread may commit")
    let hasCommitted = Gate("the other thread has committed")
    let neighbour = BackgroundThread("neighbour") { [workspace] in
      try mayCommit.wait()
      try workspace.insert(Member(number: 1))
      hasCommitted.open()
    }
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn in
      attempts += 1
      let request = try #require(PostChangeRequest.changeRequest(post))
      mayCommit.open()
      try hasCommitted.wait()
      request.tag = "mine"
      try txn.submit(request)
    }
    try neighbour.join()
    #expect(attempts == 1)
  }
}

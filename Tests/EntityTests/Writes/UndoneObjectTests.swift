import DflatKV
import DflatSQLite
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Objects whose insertion was undone. Other objects get their rowids, and they must not be mistaken for these.
@Suite struct UndoneObjectTests {
  private let test: TestWorkspace
  private let other: SQLiteWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace { $0.followsOtherProcesses = false }
    try test.workspace.insert(["first": 1])
    other = try TestWorkspace.open(test.path)
  }

  /// Expects that another process's object gets the rowid of an undone one, and that requests for the undone one don't
  /// affect it.
  private func expectHarmless(_ undone: Post, sourceLocation: SourceLocation = #_sourceLocation) throws {
    defer { other.shutdown() }
    let theirs = try #require(try other.insert(Post(title: "theirs", priority: 5)).first)
    #expect(theirs._rowid == undone._rowid, sourceLocation: sourceLocation)
    let log = EventLog<String>()
    let subscription = subscribe(to: undone, in: workspace, log)
    try workspace.settle()
    #expect(log.events == ["gone"], sourceLocation: sourceLocation)
    try workspace.change { txn in
      #expect(PostChangeRequest.changeRequest(undone) == nil, sourceLocation: sourceLocation)
      #expect(try errorCode { try txn.delete(undone) } == .objectNotFound, sourceLocation: sourceLocation)
      try txn.upsert(undone)
    }
    let stored = try test.stored(Post.self, sourceLocation: sourceLocation).map(\.title)
    #expect(stored == ["first", "theirs", "undone"], sourceLocation: sourceLocation)
    subscription.cancel()
  }

  /// Expects that an upsert of an undone object doesn't replace the one of another workspace that gets its rowid.
  private func expectKept(_ undone: Post?, in test: TestWorkspace) throws {
    let theirs = try TestWorkspace.open(test.path)
    defer { theirs.shutdown() }
    try theirs.insert(["theirs": 5])
    try test.workspace.change { try $0.upsert(try #require(undone)) }
    #expect(Set(test.workspace.fetch(for: Post.self).all().map(\.title)) == ["first", "theirs", "undone"])
  }

  private func insert(_ txn: TransactionContext) throws -> Post { try txn.insert(Post(title: "undone", priority: 2)) }

  /// Returns what the closure of a transaction returned that was undone afterwards.
  private func undoing<T>(_ body: (TransactionContext) throws -> T) throws -> T {
    var result: T?
    #expect(throws: Refusal.self) {
      try workspace.change { txn in
        result = try body(txn)
        throw Refusal()
      }
    }
    return try #require(result)
  }

  /// Runs transactions that are all queued before the first one goes on, so that they are one group. Returns whether
  /// each of them succeeded.
  private func runTogether(
    in test: TestWorkspace, _ bodies: [@Sendable (TransactionContext) throws -> Void]
  ) throws -> [Bool] {
    let queued = Gate("all are queued")
    let ended = EventLog<(Int, Bool)>()
    for (number, body) in bodies.enumerated() {
      test.workspace.performChanges([Post.self]) { txn in
        #expect(throws: Never.self) {
          if number == 0 { try queued.wait() }
          try body(txn)
        }
      } completionHandler: {
        ended.append((number, $0))
      }
    }
    queued.open()
    let results = try ended.wait(forCount: bodies.count)
    #expect(test.workspace.commitNumber == 1)
    return results.sorted { $0.0 < $1.0 }.map { $0.1 }
  }

  /// Logs the titles that an object gets, and its end.
  private func subscribe(
    to post: Post, in workspace: SQLiteWorkspace, _ log: EventLog<String>
  ) -> WorkspaceSubscription {
    workspace.subscribe(object: post) { change in
      if case .updated(let post) = change { log.append(post.title) } else { log.append("gone") }
    }
  }

  @Test("An object of an aborted transaction is not mistaken for the one that gets its rowid")
  func abort() throws {
    var undone: Post?
    #expect(
      try errorCode {
        try workspace.change { txn in
          undone = try insert(txn)
          txn.abort()
        }
      } == .aborted)
    try expectHarmless(try #require(undone))
  }

  @Test("An object of a closure that threw is not mistaken for the one that gets its rowid")
  func thrownError() throws {
    try expectHarmless(try undoing { try insert($0) })
  }

  @Test("An undone object that was read after its insertion is not mistaken for another")
  func readBack() throws {
    let undone = try undoing { txn in
      _ = try insert(txn)
      return try #require(txn.fetch(for: Post.self).where(Post.title == "undone").first)
    }
    try expectHarmless(undone)
  }

  @Test("An undone object that was changed after its insertion is not mistaken for another")
  func changedAgain() throws {
    try expectHarmless(try undoing { txn in try txn.update(try insert(txn)) { $0.priority = 3 } })
  }

  @Test("A live query doesn't show an undone object in place of the equal one that gets its rowid")
  func liveQuery() throws {
    defer { other.shutdown() }
    let result = try undoing { txn in
      _ = try insert(txn)
      return txn.fetch(for: Post.self).where(Post.title == "undone")
    }
    let theirs = try #require(try other.insert(Post(title: "undone", priority: 2)).first)
    #expect(result.map(\._rowid) == [theirs._rowid])
    try workspace.core.checkForCommits()
    let results = EventLog<FetchedResult<Post>>()
    let query = workspace.subscribe(fetchedResult: result) { results.append($0) }
    try workspace.settle()
    let shown = try #require(results.events.last?.first)
    // The shown object is the stored one, and can be observed.
    let priorities = EventLog<Int32?>()
    let object = workspace.subscribe(object: shown) { change in
      if case .updated(let post) = change { priorities.append(post.priority) } else { priorities.append(nil) }
    }
    try other.set("undone", 7)
    try workspace.core.checkForCommits()
    try workspace.settle()
    #expect(priorities.events == [7])
    #expect(results.events.last?.first?.priority == 7)
    query.cancel()
    object.cancel()
  }

  @Test("An object of a failed COMMIT is not mistaken for the one that gets its rowid")
  func failedCommit() throws {
    let test = try TestWorkspace { $0.vfs = FaultPlan.vfsName }
    try test.workspace.insert(["first": 1])
    var undone: Post?
    let plan = try FaultPlan(.write, in: test.directory.path, fail: .from(1))
    #expect(throws: WorkspaceError.self) { try test.workspace.change { undone = try insert($0) } }
    plan.cancel()
    #expect(undone?._identity.insertion?.isOpen == true)
    try expectKept(undone, in: test)
  }

  /// first member ── token ──┐
  /// second (undone) ────────└─ one group, which commits
  @Test("An object of an aborted group member is not mistaken for the one that gets its rowid")
  func member() throws {
    let test = try TestWorkspace { $0.commitLate() }
    try test.workspace.insert(["first": 1])
    let hold = Gate("the write token is held")
    let go = Gate("the other is queued")
    let ended = EventLog<Bool>()
    let undone = EventLog<Post>()
    test.workspace.performChanges([]) { txn in
      txn.dictionary["holder"] = 1
      hold.open()
      try? go.wait()
    } completionHandler: {
      ended.append($0)
    }
    try hold.wait()
    test.workspace.performChanges([Post.self]) { txn in
      if let post = try? txn.insert(Post(title: "undone")) { undone.append(post) }
      txn.abort()
    } completionHandler: {
      ended.append($0)
    }
    test.waitForWriteTokenWaiter()
    go.open()
    _ = try ended.wait(forCount: 2)
    try expectKept(undone.events.first, in: test)
    #expect(try test.stored(Post.self).count == 3)
  }

  @Test("Later group members find an object by its row, also after a change of its key")
  func laterMembers() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let inserted = EventLog<Post>()
    let succeeded = try runTogether(
      in: test,
      [
        { txn in inserted.append(try txn.insert(Post(title: "a"))) },
        { txn in _ = try txn.update(inserted.events[0]) { $0.title = "b" } },
        { txn in
          _ = try txn.insert(Post(title: "a"))
          try txn.delete(inserted.events[0])
        },
      ])
    #expect(succeeded == [true, true, true])
    #expect(try test.stored(Post.self).map(\._rowid) == [2])
  }

  @Test("Undoing a bulk update keeps the objects that its transaction inserted before it")
  func bulk() throws {
    var before: Post?
    var inner: Post?
    try workspace.change { txn in
      before = try txn.insert(Post(title: "before"))
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { _ in
          inner = try insert(txn)
          throw Refusal()
        }
      }
      let now = try txn.update(try #require(before)) { $0.title = "renamed" }
      #expect(now._rowid == before?._rowid)
      #expect(try txn.upsert(try #require(inner))._rowid != 0)
      try txn.delete(Post(title: "undone"))
    }
    #expect(before?._identity.insertion?.isCommitted == true)
    #expect(inner?._identity.insertion?.isOpen == true)
    try workspace.change { txn in _ = try txn.update(try #require(before)) { $0.priority = 8 } }
    #expect(workspace.post("renamed")?.priority == 8)
  }

  /// inserts a ──┐
  /// reads a ────└─ one group; the second member is undone
  @Test("An object of an earlier group member that an undone one has read stays a stored object")
  func readByUndoneMember() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let read = EventLog<Post>()
    let succeeded = try runTogether(
      in: test,
      [
        { txn in try txn.insert(Post(title: "a")) },
        { txn in
          try txn.insert(Post(title: "undone"))
          for post in txn.fetch(for: Post.self).where(Post.title == "a") { read.append(post) }
          read.append(try txn.update(Post(title: "a")) { $0.priority = 7 })
          txn.abort()
        },
      ])
    #expect(succeeded == [true, false])
    try test.workspace.change { txn in _ = try txn.update(Post(title: "a")) { $0.title = "b" } }
    #expect(read.events.count == 2)
    for post in read.events {
      let log = EventLog<String>()
      let subscription = subscribe(to: post, in: test.workspace, log)
      #expect(try log.wait(forCount: 1) == ["b"])
      subscription.cancel()
      try test.workspace.change { txn in _ = try txn.update(post) { $0.priority += 1 } }
    }
    #expect(try test.stored(Post.self) == [Post(title: "b", priority: 2)])
  }

  @Test("Undoing a bulk update keeps the objects from before that its closure has read")
  func readByUndoneBulk() throws {
    var read: [Post] = []
    try workspace.change { txn in
      try txn.insert(Post(title: "before"))
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { _ in
          _ = try insert(txn)
          read = txn.fetch(for: Post.self).where(Post.title.in(["before", "undone"])).map { $0 }
          throw Refusal()
        }
      }
    }
    #expect(read.map(\.title) == ["before", "undone"])
    #expect(read.map { $0._identity.insertion?.isCommitted } == [true, false])
  }

  @Test("A committed object is found by its row in all workspaces on its file")
  func committed() throws {
    let stored = try #require(try workspace.insert(Post(title: "a")).first)
    defer { other.shutdown() }
    try other.change { txn in _ = try txn.update(stored) { $0.title = "b" } }
    try workspace.change { txn in _ = try txn.update(stored) { $0.priority = 3 } }
    #expect(try test.stored(Post.self).map(\.title) == ["first", "b"])
  }

  @Test("An upsert of an uncommitted object into another file inserts it there")
  func early() throws {
    let theirs = try #require(try other.insert(Post(title: "theirs", priority: 5)).first)
    defer { other.shutdown() }
    #expect(theirs._rowid == 2)
    try workspace.change { txn in
      let post = try insert(txn)
      #expect(post._rowid == 3)
      let other = try TestWorkspace()
      try other.workspace.change { try $0.upsert(post) }
      #expect(other.workspace.post("undone")?._rowid == 1)
    }
  }
}

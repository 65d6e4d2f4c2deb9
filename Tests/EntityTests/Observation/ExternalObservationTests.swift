import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Observation of another process's commits (A9), and failures. A second workspace on the file acts as the other
/// process.
@Suite struct ExternalObservationTests {
  private static func titles(_ result: FetchedResult<Post>) -> String { result.map(\.title).joined(separator: " ") }

  @Test("Observers of results and objects get another process's commits")
  func othersCommits() throws {
    let test = try TestWorkspace()
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try test.workspace.insert(["a": 1, "b": 2])
    let log = EventLog<String>()
    let a = try #require(test.workspace.post("a"))
    let sorted = test.workspace.fetch(for: Post.self).all(limit: .limit(2), orderBy: [Post.priority.descending])
    let subscriptions = [
      test.workspace.subscribe(fetchedResult: sorted) { log.append(Self.titles($0)) },
      test.workspace.subscribe(object: a) { log.append("\($0)".hasPrefix("deleted") ? "a gone" : "a changed") },
    ]
    try other.insert(["c": 3])
    try log.wait(forCount: 1)
    #expect(log.events == ["c b"])
    try other.set("a", 4)
    try log.wait(forCount: 3)
    #expect(Set(log.events.suffix(2)) == ["a c", "a changed"])
    try other.change { try $0.delete(a) }
    try log.wait(forCount: 5)
    #expect(Set(log.events.suffix(2)) == ["c b", "a gone"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test("Observing a result creates the file, so that it can be watched")
  func observingMakesTheFile() throws {
    let directory = try TemporaryDirectory("lazy")
    let workspace = SQLiteWorkspace(filePath: directory.file(), fileProtectionLevel: .noProtection)
    defer { workspace.shutdown() }
    let result = workspace.fetch(for: Post.self).all()
    #expect(!FileManager.default.fileExists(atPath: directory.file()))
    let subscription = workspace.subscribe(fetchedResult: result) { _ in }
    #expect(FileManager.default.fileExists(atPath: directory.file()))
    subscription.cancel()
  }

  @Test("A9: Another process's commit is published even if an observed row can't be decoded")
  func undecodableRows() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try test.workspace.insert(["a": 1, "b": 2])
    let log = EventLog<String>()
    let a = try #require(test.workspace.post("a"))
    let subscriptions = [
      test.workspace.subscribe(object: a) { _ in log.append("a") },
      test.workspace.subscribe(fetchedResult: test.workspace.fetch(for: Post.self).all()) {
        log.append(Self.titles($0))
      },
    ]
    try other.set("a", 3)
    try test.damage("post", 1)
    try test.workspace.core.checkForCommits()
    #expect(test.workspace.published == 2)
    try test.workspace.settle()
    #expect(log.events == ["b"])
    // The row is readable again, and the observers have missed nothing.
    try other.change { _ = try $0.upsert(Post(title: "a", priority: 4)) }
    try test.workspace.core.checkForCommits()
    try test.workspace.settle()
    #expect(log.events.sorted() == ["a", "a b", "b"])
    #expect(EntityStore.of(test.workspace.core).observers.counts == (all: 2, stale: 0))
    subscriptions.forEach { $0.cancel() }
  }

  @Test("A7: An observed object that can't be decoded is reported, and delivered when it is readable")
  func undecodableObject() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try test.workspace.insert(["a": 1])
    let log = EventLog<Int32>()
    let subscription = test.workspace.subscribe(object: try #require(test.workspace.post("a"))) { change in
      if case .updated(let post) = change { log.append(post.priority) }
    }
    try other.set("a", 3)
    try test.damage("post", 1)
    try test.workspace.core.checkForCommits()
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.undecodable])
    try other.change { _ = try $0.upsert(Post(title: "a", priority: 4)) }
    try test.workspace.core.checkForCommits()
    try test.workspace.settle()
    #expect(log.events == [4] && test.errors.events.count == 1)
    subscription.cancel()
  }

  @Test("A subscription that can't look up its object ends and reports an error")
  func unreadableAtSubscription() throws {
    let test = try TestWorkspace()
    try test.workspace.insert(["a": 1])
    let reported = EventLog<WorkspaceError>()
    let workspace = try TestWorkspace.open(test.path) { options in
      options.vfs = FaultPlan.vfsName
      options.errorHandler = { reported.append($0) }
    }
    defer { workspace.shutdown() }
    workspace.core.openForObserving()
    workspace.core.readers.dropIdle()
    let ended = Gate("the subscription")
    let plan = try FaultPlan(.open, on: .main, in: test.directory.path, fail: .from(1))
    let subscription = EntityStore.of(workspace.core).observers.observe(Post(title: "a"), onEnd: { ended.open() }) {
      _ in
      Issue.record("an object that couldn't be looked up was delivered")
    }
    try ended.wait()
    plan.cancel()
    try reported.wait(forCount: 1)
    subscription.cancel()
  }

  //  watch   publishes the commit ─ stops                    ─ its callbacks are due
  //  test                                  checks: waits ─ ─ ─     ─ settles: has the commit
  @Test("A check for commits returns only when the callbacks of a concurrent check are due")
  func concurrentLooks() throws {
    try whileCallbacksAreHeldBack { workspace in
      try workspace.core.checkForCommits()
      try workspace.settle()
    }
  }

  //  watch        publishes the commit ─ stops                   ─ its callbacks are due
  //  transaction                                sees the commit, changes nothing, ends ─ ─ ─ its caller goes on
  @Test("A transaction that changes nothing ends after the callbacks of a commit it saw", arguments: [false, true])
  func unchangedTransactions(_ takesWriteToken: Bool) throws {
    try whileCallbacksAreHeldBack { workspace in
      try workspace.transactAndWait([Post.self]) { (transaction) throws in
        if takesWriteToken { #expect(try transaction.deleteAll(Post.self, where: Post.title == "c") == 0) }
        #expect(workspace.fetch(for: Post.self).all().count == 2)
      }
    }
  }

  /// Runs `body` while another thread has published another workspace's commit and not yet enqueued its callbacks. When
  /// `body` returns, the observers must have been told of the commit.
  private func whileCallbacksAreHeldBack(_ body: (SQLiteWorkspace) throws -> Void) throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let log = EventLog<String>()
    let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) {
      log.append(Self.titles($0))
    }
    try other.insert(["b": 2])
    let (reached, ended) = (Gate("publication"), Gate("body"))
    Failpoint.publishedBeforeDelivery.arm(in: workspace.core) {
      reached.open()
      // A body that doesn't wait for the callbacks ends meanwhile.
      for _ in 0..<100_000 where !ended.opened { sched_yield() }
    }
    let watch = BackgroundThread { try workspace.core.checkForCommits() }
    try reached.wait()
    try body(workspace)
    let events = log.events
    ended.open()
    #expect(events == ["a b"])
    try watch.join()
    Failpoint.publishedBeforeDelivery.arm(in: workspace.core, nil)
    subscription.cancel()
  }

  @Test("An observer that missed more commits than the log holds gets the newest state once")
  func missedMoreThanTheLogHolds() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    let workspace = test.workspace
    try workspace.insert(["a": 1, "b": 2, "c": 3])
    let log = EventLog<String>()
    let a = try #require(workspace.post("a"))
    let high = workspace.fetch(for: Post.self).where(Post.priority > 1)
    let unchanged = workspace.fetch(for: Post.self).where(Post.title == "b")
    let subscriptions = [
      workspace.subscribe(fetchedResult: high) { log.append(Self.titles($0)) },
      workspace.subscribe(fetchedResult: unchanged) { _ in log.append("b") },
      workspace.subscribe(object: a) { _ in log.append("a") },
    ]
    for number: Int32 in 0..<4_500 { try other.set("a", 10 + number % 3) }
    try other.change { txn in try txn.delete(Post(title: "c")) }
    try workspace.core.checkForCommits()
    try workspace.settle()
    #expect(log.events.sorted() == ["a", "a b"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test("Observers see nothing of a failed COMMIT, and see one that took effect anyway once")
  func failedCommits() throws {
    let test = try TestWorkspace {
      $0.vfs = FaultPlan.vfsName
      $0.synchronous = .full
    }
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let log = EventLog<String>()
    let all = workspace.fetch(for: Post.self).all()
    let a = try #require(all.first)
    let subscriptions = [
      workspace.subscribe(fetchedResult: all) { log.append(Self.titles($0)) },
      workspace.subscribe(object: a) { _ in log.append("a") },
    ]
    do {
      let plan = try FaultPlan(.sync, on: .wal, in: test.directory.path, fail: .once(1), with: .ioErrorSync)
      #expect(throws: WorkspaceError.self) {
        try workspace.change { txn in
          try txn.insert(Post(title: "b"))
          _ = try txn.update(a) { $0.priority = 2 }
        }
      }
      #expect(plan.faultCount == 1)
    }
    try workspace.settle()
    #expect(log.events.isEmpty)
    do {
      let plan = try FaultPlan(.commitEnd, in: test.directory.path, fail: .once(1))
      try workspace.change { txn in
        try txn.insert(Post(title: "c"))
        _ = try txn.update(a) { $0.priority = 3 }
      }
      #expect(plan.faultCount == 1)
    }
    try workspace.settle()
    #expect(log.events.sorted() == ["a", "a c"])
    try workspace.change { try $0.delete(a) }
    #expect(log.events.sorted() == ["a", "a", "a c", "c"])
    subscriptions.forEach { $0.cancel() }
  }

  //  writer      COMMIT fails, though it happened ─ reopens: stops            ─ finds its commit: publishes
  //  subscriber                                          subscribes: can't read
  @Test("A subscriber that can't read while a COMMIT's outcome is checked gets that commit")
  func subscriberDuringRecovery() throws {
    let test = try TestWorkspace { $0.vfs = FaultPlan.vfsName }
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let log = EventLog<String>()
    let old = workspace.fetch(for: Post.self).all()
    let first = workspace.subscribe(fetchedResult: old) { log.append("first " + Self.titles($0)) }
    // The watch must not find the commit first.
    workspace.core.stopWatching()
    let (paused, resumed) = (Gate("the writer reopens the file"), Gate("subscriber"))
    let failing = try FaultPlan(.commitEnd, in: test.directory.path, fail: .once(1))
    let isWriter = Lock(true)
    let isSubscribed = Lock(false)
    let hook = try FaultPlan(.open, on: .main, in: test.directory.path, at: .from(1)) {
      guard failing.faultCount == 1, !isSubscribed.withLock({ $0 }) else { return nil }
      let isFirst = isWriter.withLock { isWriter in
        defer { isWriter = false }
        return isWriter
      }
      guard isFirst else { return .cannotOpen }
      paused.open()
      try? resumed.wait()
      return nil
    }
    let writer = BackgroundThread { try workspace.insert(["b": 2]) }
    try paused.wait()
    let second = workspace.subscribe(fetchedResult: old) { log.append("second " + Self.titles($0)) }
    isSubscribed.withLock { $0 = true }
    resumed.open()
    try writer.join()
    hook.cancel()
    try workspace.settle()
    try workspace.settle()
    #expect(log.events.sorted() == ["first a b", "second a b"])
    #expect(test.errors.events.map(\.code) == [.cannotOpen])
    first.cancel()
    second.cancel()
  }

  @Test("A row that can't be decoded is reported and left out, and delivered when it is repaired")
  func damagedRow() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let workspace = test.workspace
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try workspace.insert(["a": 1, "b": 5])
    let b = try #require(workspace.post("b"))
    let log = EventLog<String>()
    let subscriptions = [
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) {
        log.append("all " + Self.titles($0))
      },
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).where(Post.title == "a")) {
        log.append("one " + Self.titles($0))
      },
    ]
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    let payload = try connection.prepare("SELECT payload FROM post WHERE rowid = \(b._rowid)").firstRow { row in
      row.withBytes(at: 0) { $0.map { (($0 < 16) ? "0" : "") + String($0, radix: 16) }.joined() }
    }
    // Another program damages the row after a commit whose record names the row.
    try other.set("b", 6)
    try connection.execute("UPDATE post SET payload = x'0102' WHERE rowid = \(b._rowid)")
    try workspace.core.checkForCommits()
    try workspace.settle()
    try workspace.settle()
    #expect(log.events == ["all a"])
    #expect(test.errors.events.map(\.code) == [.undecodable])
    #expect(workspace.commitNumber == other.commitNumber)
    try workspace.set("a", 2)
    #expect(log.events.sorted() == ["all a", "all a", "one a"])
    try connection.execute("UPDATE post SET payload = x'\(try #require(payload))' WHERE rowid = \(b._rowid)")
    try other.set("b", 7)
    try workspace.core.checkForCommits()
    try workspace.settle()
    #expect(log.events.last == "all a b")
    #expect(test.errors.events.count == 1)
    connection.close()
    subscriptions.forEach { $0.cancel() }
  }
}

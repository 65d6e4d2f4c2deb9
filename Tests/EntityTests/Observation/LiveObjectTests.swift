import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

@Suite struct LiveObjectTests {
  /// Logs an observer's callbacks: the priorities, and -1 for the end.
  private final class Watch {
    let told = EventLog<Int32>()
    var subscription: WorkspaceSubscription?

    init(_ object: Post, in workspace: SQLiteWorkspace) {
      subscription = workspace.subscribe(object: object) { [told] change in
        switch change {
        case .updated(let post): told.append(post.priority)
        case .deleted: told.append(-1)
        }
      }
    }
  }

  @Test("Observers are released after cancelling, the end of their object, and shutdown")
  func gone() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1, "b": 1])
    let store = EntityStore.of(workspace.core)
    let observers = store.observers
    let watch = Watch(try #require(workspace.post("a")), in: workspace)
    let cancelled = Watch(try #require(workspace.post("b")), in: workspace)
    let query = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }
    #expect(observers.counts.all == 3)
    #expect(store.storage.hasLiveQueries(ofTable: Post._entity.number))
    try workspace.change { try $0.delete(Post(title: "a")) }
    #expect(watch.told.events == [-1])
    #expect(observers.counts.all == 2)
    cancelled.subscription?.cancel()
    query.cancel()
    try workspace.settle()
    #expect(observers.counts.all == 0)
    // Shutting down a workspace releases its observers.
    let last = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }
    #expect(observers.counts.all == 1)
    workspace.shutdown()
    #expect(observers.counts.all == 0)
    last.cancel()
    #expect(!store.storage.hasLiveQueries(ofTable: Post._entity.number))
  }

  @Test("An observer gets an object's versions and its end, and nothing of a new object with its key")
  func life() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1, "b": 1])
    let a = try #require(workspace.post("a"))
    let watch = Watch(a, in: workspace)
    try workspace.set("a", 2)
    try workspace.set("b", 3)
    try workspace.change { txn in
      for priority: Int32 in [7, 2] { _ = try txn.update(a) { $0.priority = priority } }
    }
    #expect(watch.told.events == [2], "a change that was reverted, or one of another object, was reported")
    try workspace.change { txn in
      try txn.delete(a)
      try txn.insert(Post(title: "a", priority: 9))
    }
    #expect(watch.told.events == [2, -1])
    try workspace.set("a", 10)
    #expect(watch.told.events == [2, -1])
  }

  @Test("An observer of an outdated object gets one callback if the object has changed")
  func outdated() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1, "b": 1, "c": 1])
    let old = try ["a", "b", "c"].map { try #require(workspace.post($0)) }
    for priority: Int32 in [2, 3] { try workspace.set("a", priority) }
    for priority: Int32 in [2, 1] { try workspace.set("b", priority) }
    try workspace.change { try $0.delete(old[2]) }
    let watches = old.map { Watch($0, in: workspace) }
    try workspace.settle()
    #expect(watches.map(\.told.events) == [[3], [], [-1]])
    try workspace.set("a", 4)
    try workspace.set("b", 4)
    #expect(watches.map(\.told.events) == [[3, 4], [4], [-1]])
  }

  @Test("An observer of an object that was never stored gets the one with its primary key, or the end")
  func neverStored() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let (a, same) = (
      Watch(Post(title: "a", priority: 5), in: workspace), Watch(Post(title: "a", priority: 1), in: workspace)
    )
    let none = Watch(Post(title: "none"), in: workspace)
    try workspace.settle()
    #expect(a.told.events == [1] && same.told.events == [] && none.told.events == [-1])
    try workspace.insert(["none": 1])
    try workspace.set("a", 2)
    #expect(a.told.events == [1, 2] && same.told.events == [2] && none.told.events == [-1])
  }

  @Test("An object is reported as deleted if it is observed in a file without its table")
  func emptyFile() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let watch = Watch(Post(title: "a"), in: workspace)
    try workspace.settle()
    #expect(watch.told.events == [-1])
  }

  /// Inserts the post "new" and sets the priority of "old" to 6 in a transaction, in which it begins to watch them.
  private func watchInATransaction(
    of workspace: SQLiteWorkspace, atEnd: (TransactionContext) -> Void = { _ in }
  ) throws -> [Watch] {
    var watches: [Watch] = []
    do {
      try workspace.change { txn in
        watches.append(Watch(try txn.insert(Post(title: "new", priority: 5)), in: workspace))
        watches.append(Watch(try txn.update(Post(title: "old")) { $0.priority = 6 }, in: workspace))
        atEnd(txn)
      }
    } catch let error as WorkspaceError where error.code == .aborted {}
    try workspace.settle()
    try workspace.settle()
    return watches
  }

  @Test("An object observed in its transaction is watched after COMMIT")
  func insideATransaction() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["old": 1])
    let watches = try watchInATransaction(of: workspace)
    #expect(watches.map(\.told.events) == [[], []])
    try workspace.set("old", 6)
    try workspace.set("new", 8)
    #expect(watches.map(\.told.events) == [[8], []])
  }

  @Test("An object observed in its transaction is reported gone if it is undone, and an unchanged one is not")
  func insideAnUndoneTransaction() throws {
    let test = try TestWorkspace()
    try test.workspace.insert(["old": 6])
    let watches = try watchInATransaction(of: test.workspace) { $0.abort() }
    #expect(watches.map(\.told.events) == [[-1], []])
  }

  @Test("A sequence of an object's versions ends when the object is deleted")
  func sequence() async throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let a = try #require(workspace.post("a"))
    let versions = workspace.subscribe(object: a, bufferingPolicy: .unbounded)
    for priority: Int32 in [2, 3] { try workspace.set("a", priority) }
    try workspace.change { try $0.delete(a) }
    var seen: [Int32] = []
    for await version in versions { seen.append(version.priority) }
    #expect(seen == [2, 3])
    for await _ in workspace.subscribe(object: a) { Issue.record("a sequence of a deleted object has a version") }
  }
}

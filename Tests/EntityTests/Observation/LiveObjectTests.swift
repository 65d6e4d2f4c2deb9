import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore

@Suite struct LiveObjectTests {
  /// What an observer was told: the priorities, and -1 for the end.
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

  @Test("Nothing is kept of observers that are cancelled, or have been told the end")
  func gone() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    try workspace.insert(["a": 1, "b": 1])
    let observers = EntityStore.of(workspace.core).observers
    let watch = Watch(try #require(workspace.post("a")), in: workspace)
    let cancelled = Watch(try #require(workspace.post("b")), in: workspace)
    let query = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }
    #expect(observers.counts.all == 3)
    #expect(observers.areInterested(inTable: Post._entity.number))
    try workspace.change { try $0.delete(Post(title: "a")) }
    #expect(watch.told.events == [-1])
    #expect(observers.counts.all == 2)
    cancelled.subscription?.cancel()
    query.cancel()
    try workspace.settle()
    #expect(observers.counts.all == 0)
    // Nor of a workspace that is closed.
    let last = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }
    #expect(observers.counts.all == 1)
    workspace.shutdown()
    #expect(observers.counts.all == 0)
    last.cancel()
    #expect(!observers.areInterested(inTable: Post._entity.number))
  }

  @Test("Each version is told, then the end, once and last; an object made anew is another one")
  func life() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    try workspace.insert(["a": 1, "b": 1])
    let a = try #require(workspace.post("a"))
    let watch = Watch(a, in: workspace)
    try workspace.set("a", 2)
    try workspace.set("b", 3)
    try workspace.change { txn in
      for priority: Int32 in [7, 2] { _ = try txn.update(a) { $0.priority = priority } }
    }
    #expect(watch.told.events == [2], "There and back is no change, and other objects are none of its.")
    try workspace.change { txn in
      try txn.delete(a)
      try txn.insert(Post(title: "a", priority: 9))
    }
    #expect(watch.told.events == [2, -1])
    try workspace.set("a", 10)
    #expect(watch.told.events == [2, -1])
  }

  @Test("An outdated object catches up with one callback, if it differs")
  func outdated() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
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

  @Test("An object that was never stored is found by its primary key, or is gone")
  func neverStored() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
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

  @Test("In a file without the table, and without any commit, objects are gone")
  func emptyFile() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    let watch = Watch(Post(title: "a"), in: workspace)
    try workspace.settle()
    #expect(watch.told.events == [-1])
  }

  @Test("What a transaction submitted is watched from its commit on; if it is undone, the object is as it was, or gone")
  func insideATransaction() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    try workspace.insert(["old": 1])
    for isUndone in [false, true] {
      var watches: [Watch] = []
      let title = "new\(isUndone)"
      do {
        try workspace.change { txn in
          watches.append(Watch(try txn.insert(Post(title: title, priority: 5)), in: workspace))
          watches.append(Watch(try txn.update(Post(title: "old")) { $0.priority = 6 }, in: workspace))
          if isUndone { txn.abort() }
        }
      } catch let error as WorkspaceError where error.code == .aborted {}
      try workspace.settle()
      try workspace.settle()
      #expect(watches.map(\.told.events) == (isUndone ? [[-1], []] : [[], []]))
      if !isUndone { try workspace.set("old", 6) }
      if !isUndone { try workspace.set(title, 8) }
      #expect(watches.map(\.told.events) == (isUndone ? [[-1], []] : [[8], []]))
    }
  }

  @Test("The sequence has the versions, and ends when the object is deleted")
  func sequence() async throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    try workspace.insert(["a": 1])
    let a = try #require(workspace.post("a"))
    let versions = workspace.subscribe(object: a, bufferingPolicy: .unbounded)
    for priority: Int32 in [2, 3] { try workspace.set("a", priority) }
    try workspace.change { try $0.delete(a) }
    var seen: [Int32] = []
    for await version in versions { seen.append(version.priority) }
    #expect(seen == [2, 3])
    for await _ in workspace.subscribe(object: a) { Issue.record("It is gone.") }
  }
}

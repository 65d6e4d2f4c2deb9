import DflatCore
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Subscriptions to what a transaction's closure fetched, whatever becomes of the transaction.
@Suite struct PendingResultTests {
  private static func titles(_ result: FetchedResult<Post>) -> String { result.map(\.title).joined() }

  @Test("What a transaction fetched that was undone is compared with the file when it is subscribed to afterwards")
  func undone() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    try workspace.insert(["a": 1])
    var fetched: FetchedResult<Post>?
    try? workspace.change { txn in
      try txn.insert(Post(title: "b"))
      fetched = txn.fetch(for: Post.self).all()
      txn.abort()
    }
    let log = EventLog<String>()
    let result = try #require(fetched)
    let object = try #require(result.last)
    let subscriptions = [
      workspace.subscribe(fetchedResult: result) { log.append(Self.titles($0)) },
      workspace.subscribe(object: object) { _ in log.append("object") },
    ]
    try workspace.settle()
    #expect(log.events == ["a", "object"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test("What a transaction took back is told when only other changes of it are committed")
  func takenBack() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    try workspace.insert(["a": 1])
    let log = EventLog<String>()
    var subscription: WorkspaceSubscription?
    try workspace.change { txn in
      let post = try txn.insert(Post(title: "b"))
      subscription = workspace.subscribe(fetchedResult: txn.fetch(for: Post.self).all()) {
        log.append(Self.titles($0))
      }
      try txn.delete(post)
      txn.dictionary["key"] = 1
    }
    try workspace.settle()
    try workspace.settle()
    #expect(log.events == ["a"])
    subscription?.cancel()
  }

  //  transaction  fetches ─ stops                            ─ changes ─ commits
  //  subscriber                  subscribes ─ stops before it is known         ─ registers: catches up
  @Test("A transaction that commits while another thread subscribes to what it had fetched is told")
  func committedMeanwhile() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    try workspace.insert(["a": 1])
    let (fetched, registering) = (Gate("fetch"), Gate("registration"))
    let result = Lock<FetchedResult<Post>?>(nil)
    let writer = BackgroundThread {
      try workspace.change { txn in
        try txn.insert(Post(title: "b"))
        result.withLock { $0 = txn.fetch(for: Post.self).all() }
        fetched.open()
        try registering.wait()
        try txn.insert(Post(title: "c"))
      }
    }
    try fetched.wait()
    Failpoint.observerBeforeHolding.arm(in: workspace.core) {
      registering.open()
      try? writer.join()
    }
    let log = EventLog<String>()
    let known = try #require(result.withLock { $0 })
    let subscription = workspace.subscribe(fetchedResult: known) { log.append(Self.titles($0)) }
    try workspace.settle()
    #expect(log.events == ["abc"])
    subscription.cancel()
    Failpoint.observerBeforeHolding.arm(in: workspace.core, nil)
  }
}

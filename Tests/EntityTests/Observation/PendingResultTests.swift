import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Subscriptions to results that a transaction's closure fetched, whether the transaction is committed or undone.
@Suite struct PendingResultTests {
  private static func titles(_ result: FetchedResult<Post>) -> String { result.map(\.title).joined() }

  @Test("A result and an object of an undone transaction catch up with the file when observed")
  func undone() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
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

  @Test("A result with an object that its transaction deletes again is corrected after the commit")
  func takenBack() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
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
  @Test("A transaction that commits while another thread observes its result is delivered")
  func committedMeanwhile() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
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

  //  first        inserts a, subscribes ─ is undone: its results have to be compared
  //  second                                            inserts b, subscribes ─ stops          ─ commits
  //  delivery     held ───────────────────────────────────────────────────────── compares a ─┘
  @Test("Comparing the results of an undone transaction leaves out those of the open group")
  func comparedWithAnEarlierOne() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let workspace = test.workspace
    try workspace.insert(["old": 1])
    let (delivers, subscribed, ends) = (Gate("delivery"), Gate("subscription"), Gate("the end of the second"))
    workspace.core.delivery.enqueue(for: workspace.core) { try? delivers.wait() }
    let log = EventLog<String>()
    let subscriptions = Lock<[WorkspaceSubscription]>([])
    @Sendable func watch(_ title: String, _ txn: TransactionContext) throws {
      let post = try txn.insert(Post(title: title, priority: 5))
      let object = workspace.subscribe(object: post) { change in
        if case .updated(let post) = change {
          log.append("\(title) \(post.priority)")
        } else {
          log.append("\(title) gone")
        }
      }
      let all = workspace.subscribe(fetchedResult: txn.fetch(for: Post.self).where(Post.title == title)) {
        log.append("\(title): \($0.count)")
      }
      subscriptions.withLock { $0 += [object, all] }
    }
    workspace.performChanges([Post.self]) { txn in
      try? watch("a", txn)
      txn.abort()
    }
    workspace.performChanges([Post.self]) { txn in
      try? watch("b", txn)
      subscribed.open()
      try? ends.wait()
    }
    defer { ends.open() }
    try subscribed.wait()
    delivers.open()
    try workspace.settle()
    try workspace.settle()
    #expect(log.events.sorted() == ["a gone", "a: 0"])
    ends.open()
    try workspace.transactAndWait([Post.self]) { _ in }
    try workspace.settle()
    #expect(log.events.count == 2)
    try workspace.set("b", 6)
    try workspace.settle()
    #expect(log.events.dropFirst(2).sorted() == ["b 6", "b: 1"])
    subscriptions.withLock { for subscription in $0 { subscription.cancel() } }
  }
}

import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// The life of a subscription to a result: registering, cancelling, ending (A4).
@Suite struct SubscribingTests {
  private static func titles(_ result: FetchedResult<Post>) -> String { result.map(\.title).joined() }

  @Test("An observer of an outdated result gets one callback if the result has changed")
  func outdated() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1, "b": 1])
    let old = workspace.fetch(for: Post.self).where(Post.priority > 0)
    let tagged = workspace.fetch(for: Post.self).where(Post.priority > 5)
    try workspace.insert(["c": 3])
    try workspace.set("a", 0)
    let log = EventLog<String>()
    let subscriptions = [
      workspace.subscribe(fetchedResult: old) { log.append("old " + Self.titles($0)) },
      workspace.subscribe(fetchedResult: tagged) { log.append("tagged " + Self.titles($0)) },
    ]
    try workspace.settle()
    #expect(log.events == ["old bc"])
    try workspace.set("c", 6)
    #expect(log.events == ["old bc", "old bc", "tagged c"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test("Observing a result without a query, or of another workspace, reports an error and ends")
  func refused() async throws {
    let test = try TestWorkspace()
    let other = try TestWorkspace()
    for result in [FetchedResult<Post>([]), other.workspace.fetch(for: Post.self).all()] {
      let subscription = test.workspace.subscribe(fetchedResult: result) { _ in Issue.record("It has no query.") }
      for await _ in test.workspace.subscribe(fetchedResult: result) { Issue.record("It has no query.") }
      subscription.cancel()
    }
    try test.workspace.settle()
    #expect(test.errors.events.map(\.code) == [.invalidRequest, .invalidRequest, .invalidRequest, .invalidRequest])
  }

  /// A workspace's memory is used again after it is closed.
  @Test("A result of a workspace that is gone can't be observed in a later one")
  func resultsOfEarlierWorkspaces() throws {
    for _ in 0..<20 {
      let result = try { () throws -> FetchedResult<Post> in
        let earlier = try TestWorkspace()
        defer { earlier.workspace.shutdown() }
        return earlier.workspace.fetch(for: Post.self).all()
      }()
      let test = try TestWorkspace()
      let subscription = test.workspace.subscribe(fetchedResult: result) { _ in Issue.record("It is of another file.") }
      subscription.cancel()
      try test.workspace.settle()
      #expect(test.errors.events.map(\.code) == [.invalidRequest])
    }
  }

  @Test("A subscription that is refused reports its end before the call returns")
  func refusedAtOnce() throws {
    let test = try TestWorkspace()
    let other = try TestWorkspace()
    let post = try #require(try other.workspace.insert(Post(title: "a")).first)
    let ends = EventLog<String>()
    let workspace = test.workspace
    let subscriptions = [
      workspace.observe(fetchedResult: FetchedResult<Post>([]), onEnd: { ends.append("result") }) { _ in },
      workspace.observe(object: post, onEnd: { ends.append("object") }) { _ in },
    ]
    #expect(ends.events == ["result", "object"])
    subscriptions.forEach { $0.cancel() }
  }

  //  subscriber  fetches ─ stops before it is registered              ─ registers: catches up
  //  writer                                             commits "b"                          commits "c"
  @Test("A commit between a fetch and the registration of its observer is delivered once")
  func commitBeforeRegistration() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let (reached, resumed) = (Gate("registration"), Gate("commit"))
    Failpoint.observerBeforeHolding.arm(in: workspace.core) {
      reached.open()
      try? resumed.wait()
    }
    let log = EventLog<String>()
    let subscriber = BackgroundThread {
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { log.append(Self.titles($0)) }
    }
    try reached.wait()
    try workspace.insert(["b": 1])
    resumed.open()
    let subscription = try subscriber.join()
    try workspace.insert(["c": 1])
    #expect(log.events == ["ab", "abc"])
    subscription.cancel()
    Failpoint.observerBeforeHolding.arm(in: workspace.core, nil)
  }

  //  writer      COMMIT ─ stops, nothing is published          ─ publishes
  //  subscriber                            subscribes with an older result ─ gets the commit, once
  @Test("A commit that is published while an observer registers is delivered to it once")
  func registrationDuringPublication() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let (reached, resumed) = (Gate("commit"), Gate("subscriber"))
    Failpoint.committedBeforePublish.arm(in: workspace.core) {
      reached.open()
      try? resumed.wait()
    }
    let old = workspace.fetch(for: Post.self).all()
    let log = EventLog<String>()
    let writer = BackgroundThread { try workspace.insert(["b": 1]) }
    try reached.wait()
    let subscriber = BackgroundThread {
      resumed.open()
      return workspace.subscribe(fetchedResult: old) { log.append(Self.titles($0)) }
    }
    try writer.join()
    let subscription = try subscriber.join()
    try workspace.settle()
    #expect(log.events == ["ab"])
    subscription.cancel()
    Failpoint.committedBeforePublish.arm(in: workspace.core, nil)
  }

  @Test("No callback begins after its subscription is cancelled or released")
  func cancelling() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let all = workspace.fetch(for: Post.self).all()
    let log = EventLog<String>()
    let second = Lock<WorkspaceSubscription?>(nil)
    let first = workspace.subscribe(fetchedResult: all) { result in
      log.append("1 " + Self.titles(result))
      second.withLock { $0 }?.cancel()
    }
    // Its first callback may come before the cancelling one of the same commit.
    second.withLock { $0 = workspace.subscribe(fetchedResult: all) { log.append("2 " + Self.titles($0)) } }
    do {
      let released = workspace.subscribe(fetchedResult: all) { log.append("3 " + Self.titles($0)) }
      _ = released
    }
    try workspace.insert(["a": 1])
    try workspace.insert(["b": 1])
    #expect(log.events.filter { $0 != "2 a" } == ["1 a", "1 ab"])
    first.cancel()
    first.cancel()
    try workspace.insert(["c": 1])
    #expect(log.events.filter { $0 != "2 a" } == ["1 a", "1 ab"])
  }

  //  delivery    takes "b" up ─ stops                      ─ calls the handler
  //  canceller                         cancels, returns
  @Test("Cancelling doesn't wait for a callback that is about to run, which is the last", arguments: [false, true])
  func takenUp(isObject: Bool) throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let log = EventLog<String>()
    let post = try #require(workspace.post("a"))
    let subscription =
      isObject
      ? workspace.subscribe(object: post) { _ in log.append("told") }
      : workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in log.append("told") }
    let (reached, resumed) = (Gate("delivery"), Gate("canceller"))
    Failpoint.callbackTaken.arm(in: workspace.core) {
      reached.open()
      try? resumed.wait()
    }
    let writer = BackgroundThread { try workspace.set("a", 2) }
    try reached.wait()
    subscription.cancel()
    #expect(log.events.isEmpty)
    resumed.open()
    try writer.join()
    Failpoint.callbackTaken.arm(in: workspace.core, nil)
    try workspace.set("a", 3)
    #expect(log.events == ["told"])
  }

  @Test("Observers of an object are notified in subscription order, also after others have cancelled")
  func orderOfMany() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let post = try #require(workspace.post("a"))
    let log = EventLog<Int>()
    var subscriptions = (0..<90).map { number in workspace.subscribe(object: post) { _ in log.append(number) } }
    for number in stride(from: 0, to: 90, by: 3) { subscriptions[number].cancel() }
    subscriptions += (90..<100).map { number in workspace.subscribe(object: post) { _ in log.append(number) } }
    subscriptions[92].cancel()
    try workspace.set("a", 2)
    #expect(log.events == (0..<100).filter { $0 >= 90 ? $0 != 92 : $0 % 3 != 0 })
    subscriptions.forEach { $0.cancel() }
    try workspace.set("a", 3)
    #expect(log.events.count == 69)
  }

  @Test("A cancelled live query releases its objects without another commit")
  func cancelledIsReleased() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    weak var object: Post?
    try {
      let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }
      try workspace.set("a", 2)
      let all = workspace.fetch(for: Post.self).all()
      let watched = workspace.subscribe(fetchedResult: all) { _ in }
      object = all.first
      subscription.cancel()
      watched.cancel()
    }()
    try workspace.settle()
    #expect(object == nil)
  }

  @Test("Sequences end when their workspace shuts down, and at once if it is closed")
  func sequencesEnd() async throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let all = workspace.fetch(for: Post.self).all()
    let post = try #require(all.first)
    let results = workspace.subscribe(fetchedResult: all, bufferingPolicy: .unbounded)
    let versions = workspace.subscribe(object: post)
    try workspace.insert(["b": 1])
    try workspace.set("a", 2)
    await workspace.shutdown()
    var seen: [String] = []
    for await result in results { seen.append(Self.titles(result)) }
    #expect(seen == ["ab", "ab"])
    var priorities: [Int32] = []
    for await version in versions { priorities.append(version.priority) }
    #expect(priorities == [2])
    for await _ in workspace.subscribe(fetchedResult: all) { Issue.record("a closed workspace delivered a result") }
    for await _ in workspace.subscribe(object: post) { Issue.record("a closed workspace delivered a version") }
  }

  @Test("Observers get a transaction's posts and keys with one commit number before it completes")
  func withTheDictionary() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let log = EventLog<String>()
    let live = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { result in
      let count: Int? = workspace.dictionary["count"]
      log.append("\(result.commitNumber) posts \(result.count), count \(count ?? 0)")
    }
    let key = workspace.dictionary.subscribe("count") { change in
      guard change.event == .updated else { return }
      log.append("\(change.commitNumber) count, posts \(workspace.fetch(for: Post.self).count())")
    }
    for count in 1...3 {
      try workspace.change { txn in
        try txn.insert(Post(title: "\(count)"))
        txn.dictionary["count"] = count
      }
      let number = workspace.commitNumber
      #expect(
        log.events.suffix(2).sorted() == [
          "\(number) count, posts \(count)", "\(number) posts \(count), count \(count)",
        ])
    }
    #expect(log.events.count == 6)
    // An undone transaction notifies neither observer.
    try? workspace.change { txn in
      try txn.insert(Post(title: "4"))
      txn.dictionary["count"] = 4
      txn.abort()
    }
    try workspace.settle()
    #expect(log.events.count == 6)
    live.cancel()
    key.cancel()
  }

  /// Adds a post to the post "a" and observes all posts, in a transaction. Returns the titles that the observer gets.
  private func titlesObservedInATransaction(atEnd: (TransactionContext) -> Void = { _ in }) throws -> [String] {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1])
    let log = EventLog<String>()
    var subscription: WorkspaceSubscription?
    try? workspace.change { txn in
      try txn.insert(Post(title: "b"))
      subscription = workspace.subscribe(fetchedResult: txn.fetch(for: Post.self).all()) {
        log.append(Self.titles($0))
      }
      atEnd(txn)
    }
    try workspace.settle()
    try workspace.settle()
    subscription?.cancel()
    return log.events
  }

  @Test("A result observed in a transaction is not delivered again after COMMIT")
  func resultOfATransaction() throws { #expect(try titlesObservedInATransaction() == []) }

  @Test("A result observed in a transaction that is undone is compared with the committed rows")
  func resultOfAnUndoneTransaction() throws {
    let titles = try titlesObservedInATransaction { $0.abort() }
    #expect(titles == ["a"])
  }
}

import DflatCombine
import DflatCore
import GoldenModels
import TestSupport
import Testing

@Suite struct QueryPublisherTests {
  typealias Demanding = DemandingSubscriber<FetchedResult<Post>>

  private func subscribe(
    _ publisher: QueryPublisher<Post>, _ demand: Subscribers.Demand = .none,
    onValue: @escaping @Sendable (Demanding, FetchedResult<Post>) -> Subscribers.Demand = { _, _ in .none }
  ) -> Demanding {
    let subscriber = Demanding(demand, onValue: onValue)
    publisher.subscribe(subscriber)
    return subscriber
  }

  private func titles(_ subscriber: Demanding) -> [[String]] { subscriber.values.map { $0.map(\.title) } }

  @Test("A query's publisher gives the result, then each new one, with limits and orders") func order() throws {
    let test = try TestWorkspace()
    try test.insert(Post(title: "a", color: .red, priority: 1), Post(title: "b", color: .green, priority: 2))
    let posts = test.workspace.publisher(for: Post.self)
    let red = subscribe(
      posts.where(Post.color == .red, limit: .limit(2), orderBy: [Post.priority.descending]), .unlimited)
    let all = subscribe(posts.all(offset: 1, orderBy: [Post.title.descending]), .unlimited)
    #expect(titles(red) == [["a"]])
    #expect(titles(all) == [["a"]])
    try test.insert(Post(title: "c", color: .red, priority: 3), Post(title: "d", color: .red, priority: 4))
    try test.insert(Post(title: "e", color: .green, priority: 5))
    #expect(titles(red) == [["a"], ["d", "c"]])
    #expect(titles(all) == [["a"], ["c", "b", "a"], ["d", "c", "b", "a"]])
  }

  @Test("A query runs on the first demand, once for each subscriber") func firstDemand() throws {
    let test = try TestWorkspace()
    let publisher = test.workspace.publisher(for: Post.self).all()
    let (early, late) = (subscribe(publisher), subscribe(publisher))
    try test.insert(Post(title: "a"))
    early.request(.max(1))
    try test.insert(Post(title: "b"))
    late.request(.max(1))
    #expect(titles(early) == [["a"]])
    #expect(titles(late) == [["a", "b"]])
  }

  @Test("A query's publisher gives no more than its demand, then the newest result") func limited() throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(test.workspace.publisher(for: Post.self).all(), .max(1))
    try test.insert(Post(title: "a"))
    try test.insert(Post(title: "b"))
    #expect(titles(subscriber) == [[]])
    subscriber.request(.max(1))
    #expect(titles(subscriber) == [[], ["a", "b"]])
    #expect(subscriber.values.map(\.changes?.inserted) == [nil, [0, 1]])
    try test.insert(Post(title: "c"))
    try test.insert(Post(title: "d"))
    try test.insert(Post(title: "e"))
    subscriber.request(.max(1))
    #expect(subscriber.values.last?.changes?.inserted == [2, 3, 4])
  }

  @Test("A query's publisher loses no commit between its first result and its registration") func lossless() throws {
    // requester:  the first result is received ─ stops          ─ registers, gets the missed commits
    // writer:                                    commits a and b
    let test = try TestWorkspace()
    let subscriber = subscribe(test.workspace.publisher(for: Post.self).all()) { _, posts in
      guard posts.isEmpty else { return .none }
      for title in ["a", "b"] {
        try? test.workspace.transactAndWait([Post.self]) { _ = try $0.insert(Post(title: title)) }
      }
      return .none
    }
    subscriber.request(.unlimited)
    try test.settle()
    try test.insert(Post(title: "c"))
    #expect(titles(subscriber) == [[], ["a", "b"], ["a", "b", "c"]])
  }

  @Test("A query that begins in a transaction's closure gives committed results only") func inTransaction() throws {
    let test = try TestWorkspace()
    try test.insert(Post(title: "a"))
    let subscriber = subscribe(test.workspace.publisher(for: Post.self).all())
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait([Post.self]) { txn in
        try txn.insert(Post(title: "b"))
        subscriber.request(.unlimited)
        #expect(titles(subscriber) == [["a"]])
        txn.abort()
      }
    }
    try test.insert(Post(title: "c"))
    #expect(titles(subscriber) == [["a"], ["a", "c"]])
  }

  @Test("A query's publisher gives nothing after its first result's receiver cancels it") func cancelled() throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(test.workspace.publisher(for: Post.self).all(), .unlimited) { subscriber, _ in
      subscriber.cancel()
      return .unlimited
    }
    try test.insert(Post(title: "a"))
    test.workspace.shutdown()
    #expect(titles(subscriber) == [[]])
    #expect(!subscriber.isFinished)
  }

  @Test("A query's publisher finishes when the workspace closes") func shutdown() throws {
    let test = try TestWorkspace()
    let publisher = test.workspace.publisher(for: Post.self).all()
    let subscriber = subscribe(publisher, .unlimited)
    test.workspace.shutdown()
    let late = subscribe(publisher, .unlimited)
    #expect(subscriber.isFinished && titles(subscriber) == [[]])
    #expect(late.isFinished && late.values.isEmpty)
  }

  @Test("A query's publisher can be mapped, switched to, and iterated asynchronously") func operators() async throws {
    let test = try TestWorkspace()
    test.dictionary["limit"] = 1
    try await test.dictionary.flush()
    try test.insert(Post(title: "a"), Post(title: "b"), Post(title: "c"))
    let workspace = test.workspace
    let limit = DictionaryKey("limit", default: 1)
    var pages = workspace.dictionary.publisher(limit)
      .map { workspace.publisher(for: Post.self).all(limit: .limit($0)) }
      .switchToLatest()
      .map { $0.map(\.title) }
      .values.makeAsyncIterator()
    #expect(await pages.next() == ["a"])
    workspace.dictionary["limit"] = 3
    #expect(await pages.next() == ["a", "b", "c"])
    try await workspace.transact([Post.self]) { txn in
      _ = try txn.fetch(for: Post.self).first(where: Post.title == "a").map { try txn.delete($0) }
    }
    #expect(await pages.next() == ["b", "c"])
  }

  @Test("A query's publisher works as the README shows it") func readme() throws {
    let test = try TestWorkspace()
    let dflat = test.workspace
    let log = EventLog<[String]>()
    try test.insert(Post(title: "a", color: .red, priority: 1), Post(title: "b", color: .red, priority: 2))
    let cancellable = dflat.publisher(for: Post.self)
      .where(Post.color == .red, orderBy: [Post.priority.descending])
      .subscribe(on: DispatchQueue.global())
      .sink { posts in
        log.append(posts.map(\.title))
      }
    try log.wait(forCount: 1)
    try test.insert(Post(title: "c", color: .red, priority: 3))
    #expect(try log.wait(forCount: 2) == [["b", "a"], ["c", "b", "a"]])
    cancellable.cancel()
  }
}

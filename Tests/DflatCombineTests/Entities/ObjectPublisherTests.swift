import DflatCombine
import DflatCore
import GoldenModels
import TestSupport
import Testing

/// Publishers of objects and of results.
@Suite struct ObjectPublisherTests {
  typealias Demanding = DemandingSubscriber<SubscribedObject<Post>>

  private func stored(_ test: TestWorkspace, _ title: String = "a") throws -> Post {
    try test.insert(Post(title: title))
    return try #require(test.workspace.fetch(for: Post.self).first(where: Post.title == title))
  }

  private func change(_ test: TestWorkspace, _ post: Post, priority: Int32) throws {
    try test.workspace.transactAndWait([Post.self]) { txn in
      _ = try txn.update(post) { $0.priority = priority }
    }
    try test.settle()
  }

  private func delete(_ test: TestWorkspace, _ post: Post) throws {
    try test.workspace.transactAndWait([Post.self]) { try $0.delete(post) }
    try test.settle()
  }

  /// Returns the priority of each update, and nil for the deletion.
  private func priorities(_ subscriber: Demanding) -> [Int32?] {
    subscriber.values.map { change in
      if case .updated(let post) = change { return post.priority }
      return nil
    }
  }

  private func subscribe(_ test: TestWorkspace, _ post: Post, _ demand: Subscribers.Demand) -> Demanding {
    let subscriber = Demanding(demand)
    test.workspace.publisher(for: post).subscribe(subscriber)
    return subscriber
  }

  @Test("An object's publisher gives each change, then the deletion, then the end") func order() throws {
    let test = try TestWorkspace()
    let post = try stored(test)
    let subscriber = subscribe(test, post, .unlimited)
    try change(test, post, priority: 1)
    try change(test, post, priority: 2)
    #expect(!subscriber.isFinished)
    try delete(test, post)
    #expect(priorities(subscriber) == [1, 2, nil])
    #expect(subscriber.isFinished)
    try test.insert(Post(title: "a"))
    #expect(subscriber.log.events.count == 4)
  }

  @Test("An object's deletion replaces no waiting update") func limited() throws {
    let test = try TestWorkspace()
    let post = try stored(test)
    let subscriber = subscribe(test, post, .max(1))
    for priority in 1...3 { try change(test, post, priority: Int32(priority)) }
    try delete(test, post)
    #expect(priorities(subscriber) == [1])
    subscriber.request(.max(1))
    #expect(priorities(subscriber) == [1, 3])
    #expect(!subscriber.isFinished)
    subscriber.request(.max(1))
    #expect(priorities(subscriber) == [1, 3, nil])
    #expect(subscriber.isFinished)
  }

  @Test("An object's publisher gives a change or deletion made before the first demand") func outdated() throws {
    let test = try TestWorkspace()
    let (changed, deleted) = (try stored(test, "changed"), try stored(test, "deleted"))
    let subscribers = [subscribe(test, changed, .none), subscribe(test, deleted, .none)]
    try change(test, changed, priority: 1)
    try delete(test, deleted)
    for subscriber in subscribers { subscriber.request(.unlimited) }
    try test.settle()
    #expect(subscribers.map(priorities) == [[1], [nil]])
    #expect(subscribers.map(\.isFinished) == [false, true])
  }

  @Test("Publishers of objects and results finish when the workspace closes") func shutdown() throws {
    let test = try TestWorkspace()
    let post = try stored(test)
    let object = subscribe(test, post, .unlimited)
    let result = DemandingSubscriber<FetchedResult<Post>>(.unlimited)
    test.workspace.publisher(for: test.workspace.fetch(for: Post.self).all()).subscribe(result)
    test.workspace.shutdown()
    #expect(object.isFinished && object.values.isEmpty)
    #expect(result.isFinished && result.values.isEmpty)
  }

  @Test("A fetched result's publisher gives only changes") func fetchedResult() throws {
    let test = try TestWorkspace()
    try test.insert(Post(title: "a"))
    let posts = test.workspace.fetch(for: Post.self).all()
    let subscriber = DemandingSubscriber<FetchedResult<Post>>(.unlimited)
    test.workspace.publisher(for: posts).subscribe(subscriber)
    try test.settle()
    #expect(subscriber.values.isEmpty)
    try test.insert(Post(title: "b"))
    #expect(subscriber.values.map { $0.map(\.title) } == [["a", "b"]])
  }

  @Test("A publisher of a result made by hand finishes and reports an error") func madeByHand() throws {
    let test = try TestWorkspace()
    let subscriber = DemandingSubscriber<FetchedResult<Post>>(.unlimited)
    test.workspace.publisher(for: FetchedResult([Post(title: "a")])).subscribe(subscriber)
    try test.errors.wait(forCount: 1)
    #expect(subscriber.values.isEmpty && subscriber.isFinished)
  }

  @Test("An object's publisher works as the README shows it") func readme() throws {
    let test = try TestWorkspace()
    let dflat = test.workspace
    let log = EventLog<Int32?>()
    let posts = [try stored(test)]
    let cancellable = dflat.publisher(for: posts[0])
      .subscribe(on: DispatchQueue.global())
      .sink { post in
        switch post {
        case .updated(let newPost):
          log.append(newPost.priority)
        case .deleted:
          log.append(nil)
        }
      }
    // The object may be changed before the subscription begins. Then the change is the subscriber's first value.
    try change(test, posts[0], priority: 7)
    try log.wait(forCount: 1)
    try delete(test, posts[0])
    #expect(try log.wait(forCount: 2) == [7, nil])
    cancellable.cancel()
  }
}

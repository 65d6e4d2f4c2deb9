import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Observations of closures that read objects, and objects together with keys.
@Suite struct ObservedQueryTests {
  /// Expects a number of runs of an observed closure after a commit of posts.
  private func expect(
    _ count: Int, of runs: EventLog<Void>, in test: TestWorkspace, sourceLocation: SourceLocation = #_sourceLocation,
    after body: (TransactionContext) throws -> Void
  ) throws {
    try test.workspace.change(body)
    try test.settle()
    #expect(runs.events.count == count, sourceLocation: sourceLocation)
  }

  @Test("A1: Keys and objects of one transaction are delivered together", arguments: [false, true])
  func together(byAnother: Bool) throws {
    let test = try TestWorkspace()
    let other = try test.another()
    try test.workspace.change { txn in
      try txn.insert(Post(title: "a", priority: 0))
      txn.dictionary["priority"] = 0
    }
    let log = EventLog<[Int]>()
    let subscription = test.workspace.observe { reader in
      (reader.dictionary["priority", default: -1], reader.fetch(for: Post.self).where(Post.priority >= 0))
    }.subscribe { key, posts in
      log.append([key, posts.first.map { Int($0.priority) } ?? -1])
    }
    let writer = byAnother ? other.workspace : test.workspace
    for number in 1...50 {
      try writer.change { txn in
        txn.dictionary["priority"] = number
        _ = try txn.update(Post(title: "a")) { $0.priority = Int32(number) }
      }
    }
    let values = try log.wait { $0.last == [50, 50] }
    #expect(values.first == [0, 0])
    #expect(values.allSatisfy { $0[0] == $0[1] })
    #expect(zip(values, values.dropFirst()).allSatisfy { $0[0] < $1[0] })
    subscription.cancel()
  }

  @Test("A commit runs the closure again if a changed row matched before or matches now") func precision() throws {
    let test = try TestWorkspace()
    let runs = EventLog<Void>()
    let subscription = test.workspace.observe { reader -> [String] in
      runs.append(())
      return reader.fetch(for: Post.self).where(Post.priority > 3 && Post.color == .green).map(\.title)
    }.subscribe { _ in }
    try expect(1, of: runs, in: test) { _ = try $0.insert(Post(title: "low", color: .green, priority: 1)) }
    try expect(1, of: runs, in: test) { _ = try $0.insert(Post(title: "red", color: .red, priority: 9)) }
    try expect(2, of: runs, in: test) { _ = try $0.insert(Post(title: "a", color: .green, priority: 4)) }
    try expect(3, of: runs, in: test) { _ = try $0.update(Post(title: "low")) { $0.priority = 5 } }
    try expect(4, of: runs, in: test) { _ = try $0.update(Post(title: "a")) { $0.color = .red } }
    try expect(4, of: runs, in: test) { _ = try $0.update(Post(title: "a")) { $0.tag = "x" } }
    try expect(5, of: runs, in: test) { try $0.delete(Post(title: "low")) }
    try expect(5, of: runs, in: test) { $0.dictionary["k"] = 1 }
    subscription.cancel()
  }

  @Test("A condition on no single field is evaluated for every changed row") func unnarrowed() throws {
    let test = try TestWorkspace()
    let runs = EventLog<Void>()
    let subscription = test.workspace.observe { reader -> Int in
      runs.append(())
      return reader.fetch(for: Post.self).count(where: Post.priority > 3 || Post.color == .green)
    }.subscribe { _ in }
    try expect(1, of: runs, in: test) { _ = try $0.insert(Post(title: "a", color: .red, priority: 1)) }
    try expect(2, of: runs, in: test) { _ = try $0.update(Post(title: "a")) { $0.color = .green } }
    try expect(3, of: runs, in: test) { _ = try $0.update(Post(title: "a")) { $0.color = .red } }
    subscription.cancel()
  }

  @Test("Fetches, counts, tests and selections are tracked, with limits and orders") func kinds() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = test.workspace.observe { reader -> String in
      let posts = reader.query(for: Post.self)
      let best = try posts.orderBy(Post.priority.descending).limit(1).first()?.title ?? "none"
      let count = try posts.where(Post.color == .red).count()
      let exists = try posts.where(Post.priority > 5).exists()
      let tags = try posts.where(Post.title == "b").select(Post.tag).map { (tag: String?) in tag ?? "none" }
      return "\(best) \(count) \(exists) \(tags)"
    }.subscribe { log.append($0) }
    try test.workspace.change { _ = try $0.insert(Post(title: "a", color: .red, priority: 1)) }
    try test.workspace.change { _ = try $0.insert(Post(title: "b", color: .green, priority: 6)) }
    try test.workspace.change { _ = try $0.update(Post(title: "b")) { $0.tag = "x" } }
    try test.settle()
    #expect(log.events == ["none 0 false []", "a 1 false []", "b 1 true [\"none\"]", "b 1 true [\"x\"]"])
    subscription.cancel()
  }

  @Test("Aggregates are tracked, also of limited queries") func aggregates() throws {
    let test = try TestWorkspace()
    /// Observes one value, and returns those delivered while posts are inserted, changed and deleted.
    func values<Value: Equatable & Sendable>(
      of read: @escaping @Sendable (Query<Post>) throws -> Value
    ) throws -> [Value] {
      let log = EventLog<Value>()
      let subscription = test.workspace.observe { reader in
        try read(reader.query(for: Post.self).where(Post.color == .red))
      }.subscribe { log.append($0) }
      try test.workspace.change { _ = try $0.insert(Post(title: "a", color: .red, priority: 3)) }
      try test.workspace.change { _ = try $0.insert(Post(title: "b", color: .red, priority: 1)) }
      try test.workspace.change { _ = try $0.update(Post(title: "b")) { $0.priority = 5 } }
      try test.workspace.change { _ = try $0.insert(Post(title: "c", color: .green, priority: 9)) }
      try test.workspace.change { try $0.deleteAll(Post.self) }
      try test.settle()
      subscription.cancel()
      return log.events
    }
    let smallest: [Int32?] = try values { try $0.min(of: Post.priority) }
    #expect(smallest == [nil, 3, 1, 3, nil])
    let largest: [Int32?] = try values { try $0.max(of: Post.priority) }
    #expect(largest == [nil, 3, 5, nil])
    let sums: [Int128] = try values { try $0.sum(of: Post.priority) }
    #expect(sums == [0, 3, 4, 8, 0])
    let averages: [Double?] = try values { try $0.average(of: Post.priority) }
    #expect(averages == [nil, 3, 2, 4, nil])
    let numbers: [Int] = try values { try $0.count(distinct: Post.priority) }
    #expect(numbers == [0, 1, 2, 0])
    let counts: [[Int]] = try values { query in try query.counts(by: Post.priority).map { $0.count } }
    #expect(counts == [[], [1], [1, 1], []])
    let last: [Int32?] = try values { try $0.orderBy(Post.title.descending).limit(1).max(of: Post.priority) }
    #expect(last == [nil, 3, 1, 5, nil])
  }

  @Test("Searches in texts and vectors are tracked") func textsAndVectors() throws {
    let test = try TestWorkspace()
    let log = EventLog<[Int]>()
    let subscription = test.workspace.observe { reader -> [Int] in
      let posts = reader.fetch(for: Post.self)
      let images = Post.content.as(ImageContent.self).images
      return [
        posts.count(where: Post.title.contains("ell")), posts.count(where: Post.title.hasSuffix("lo")),
        posts.count(where: Post.tag.isEmpty), posts.count(where: images.contains("a")),
        posts.count(where: images.isEmpty),
      ]
    }.subscribe { log.append($0) }
    try test.workspace.change { _ = try $0.insert(Post(title: "hello")) }
    try test.workspace.change { _ = try $0.insert(Post(title: "bell", tag: "")) }
    try test.workspace.change { txn in
      _ = try txn.update(Post(title: "bell")) { $0.content = .imageContent(ImageContent()) }
    }
    try test.workspace.change { txn in
      _ = try txn.update(Post(title: "bell")) { $0.content = .imageContent(ImageContent(images: ["b", "a"])) }
    }
    // Another tag, which isn't empty either.
    try test.workspace.change { txn in _ = try txn.update(Post(title: "hello")) { $0.tag = "x" } }
    try test.workspace.change { txn in _ = try txn.update(Post(title: "bell")) { $0.tag = "x" } }
    try test.workspace.change { try $0.delete(Post(title: "bell")) }
    try test.workspace.change { try $0.delete(Post(title: "hello")) }
    try test.settle()
    #expect(
      log.events == [
        [0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [2, 1, 1, 0, 0], [2, 1, 1, 0, 1], [2, 1, 1, 1, 0], [2, 1, 0, 1, 0],
        [1, 1, 0, 0, 0], [0, 0, 0, 0, 0],
      ])
    subscription.cancel()
  }

  @Test("Prefixes in two spellings of é are two queries") func spellings() throws {
    let test = try TestWorkspace()
    let (one, two) = ("caf\u{e9}", "cafe\u{301}")
    let log = EventLog<[Int]>()
    let subscription = test.workspace.observe { reader -> [Int] in
      [one, two].map { reader.fetch(for: Post.self).count(where: Post.title.hasPrefix($0)) }
    }.subscribe { log.append($0) }
    try test.workspace.insert([one + "1": 1])
    try test.workspace.insert([two + "1": 1])
    try test.workspace.insert([two + "2": 1])
    try test.workspace.insert([one + "2": 1])
    try test.settle()
    #expect(log.events == [[0, 0], [1, 0], [1, 1], [1, 2], [2, 2]])
    #expect(EntityStore.of(test.core).observers.counts.all == 2)
    subscription.cancel()
    try test.settle()
    #expect(EntityStore.of(test.core).observers.counts.all == 0)
  }

  @Test("Queries may differ from run to run") func changingQueries() throws {
    let test = try TestWorkspace()
    let runs = EventLog<Void>()
    let subscription = test.workspace.observe { reader -> Int in
      runs.append(())
      let least: Int = reader.dictionary["least", default: 0]
      return reader.fetch(for: Post.self).count(where: Post.priority > Int32(least))
    }.subscribe { _ in }
    try expect(2, of: runs, in: test) { _ = try $0.insert(Post(title: "a", priority: 5)) }
    try expect(3, of: runs, in: test) { $0.dictionary["least"] = 10 }
    try expect(3, of: runs, in: test) { _ = try $0.insert(Post(title: "b", priority: 5)) }
    try expect(4, of: runs, in: test) { _ = try $0.insert(Post(title: "c", priority: 11)) }
    #expect(EntityStore.of(test.core).observers.counts == (all: 1, stale: 0))
    subscription.cancel()
  }

  @Test("A9: A commit of another workspace runs the closure again; an equal value is skipped") func external() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { reader -> Int in
      reader.fetch(for: Post.self).count(where: Post.priority > 3)
    }.subscribe { log.append($0) }
    /// Returns when the other workspace's commits are delivered.
    func follow() throws {
      try test.core.checkForCommits()
      try test.settle()
    }
    try other.workspace.insert(["a": 1])
    try other.workspace.insert(["b": 4])
    try follow()
    try other.workspace.set("b", 1)
    try follow()
    try other.workspace.change { txn in
      for number in 0..<5_000 { try txn.insert(Post(title: "p\(number)", priority: 4)) }
    }
    try follow()
    try other.workspace.change { try $0.deleteAll(Post.self) }
    try follow()
    #expect(log.events == [0, 1, 0, 5_000, 0])
    subscription.cancel()
  }

  @Test("A4: A commit between the snapshot and the tracking of a query isn't lost", arguments: [false, true])
  func commitBeforeTracking(byAnother: Bool) throws {
    // observer:  pins a snapshot ─ runs the closure ─ stops                       ─ tracks ─ runs again ─ delivers 1
    // writer:                                            commits an object
    let test = try TestWorkspace()
    let other = try test.another()
    let (reached, mayGoOn) = (Gate("the end of the run"), Gate("the tracking"))
    Failpoint.closureBeforeTracking.arm(in: test.core) {
      reached.open()
      try? mayGoOn.wait()
    }
    defer { Failpoint.closureBeforeTracking.arm(in: test.core, nil) }
    let log = EventLog<Int>()
    let observer = BackgroundThread {
      test.workspace.observe { $0.fetch(for: Post.self).count() }.subscribe { log.append($0) }
    }
    try reached.wait()
    let committed = Gate("the commit")
    Failpoint.publishedBeforeTouch.arm(in: test.core) { committed.open() }
    defer { Failpoint.publishedBeforeTouch.arm(in: test.core, nil) }
    let writer = BackgroundThread { try (byAnother ? other : test).workspace.insert(["a": 1]) }
    if byAnother {
      try writer.join()
      try test.core.checkForCommits()
    } else {
      try committed.wait()
    }
    mayGoOn.open()
    let subscription = try observer.join()
    try writer.join()
    #expect(log.events == [1])
    subscription.cancel()
  }

  @Test("A damaged object is left out and reported, and the observation goes on") func damage() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    try test.workspace.insert(["a": 1, "b": 2])
    try test.damage("post", 1)
    let log = EventLog<[String]>()
    let subscription = test.workspace.observe { reader -> [String] in
      reader.fetch(for: Post.self).all().map(\.title)
    }.subscribe { log.append($0) }
    try test.workspace.insert(["c": 3])
    try test.settle()
    #expect(log.events == [["b"], ["b", "c"]])
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.undecodable])
    subscription.cancel()
  }

  @Test("A2: An aborted transaction doesn't run the closure again") func aborted() throws {
    let test = try TestWorkspace()
    let runs = EventLog<Void>()
    let subscription = test.workspace.observe { reader -> Int in
      runs.append(())
      return reader.fetch(for: Post.self).count()
    }.subscribe { _ in }
    #expect(throws: WorkspaceError.self) {
      try test.workspace.change { txn in
        try txn.insert(Post(title: "a"))
        txn.abort()
      }
    }
    try test.settle()
    #expect(runs.events.count == 1)
    subscription.cancel()
  }

  @Test("A transaction's closure that subscribes gets the committed objects first") func inTransaction() throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    var subscription: WorkspaceSubscription?
    try test.workspace.change { txn in
      try txn.insert(Post(title: "a"))
      subscription = test.workspace.observe { $0.fetch(for: Post.self).count() }.subscribe { log.append($0) }
      #expect(log.events == [0])
      #expect(test.workspace.fetch(for: Post.self).count() == 1)
    }
    try test.settle()
    #expect(log.events == [0, 1])
    subscription?.cancel()
  }

  @Test("A closure can't query another workspace, even if it ignores the error") func foreignQuery() throws {
    let test = try TestWorkspace()
    let foreign = try TestWorkspace()
    let codes = EventLog<WorkspaceError.Code?>()
    let subscription = test.workspace.observe { reader -> Int in
      reader.fetch(for: Post.self).count() + foreign.workspace.fetch(for: Post.self).count()
    }.subscribe { error in
      codes.append((error as? WorkspaceError)?.code)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    #expect(codes.events == [.invalidRequest])
    subscription.cancel()
  }

  @Test("An observation of a query ends with the workspace") func shutdown() throws {
    let test = try TestWorkspace()
    let ended = EventLog<Bool>()
    let subscription = test.workspace.observe { try $0.query(for: Post.self).count() }.start { error in
      ended.append(error == nil)
    } changeHandler: { _ in
    }
    test.workspace.shutdown()
    #expect(ended.events == [true])
    #expect(EntityStore.of(test.core).observers.counts.all == 0)
    subscription.cancel()
  }
}

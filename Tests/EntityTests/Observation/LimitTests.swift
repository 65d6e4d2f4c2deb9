import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Limited live queries: rows after the last visible one move up, even when more rows leave than were kept.
@Suite struct LimitTests {
  /// The way a query narrows down the changed rows that concern it.
  enum Narrowing: CaseIterable { case range, nothing, filter }

  @Test(
    "A window over a thousand rows equals a fresh fetch while rows move, leave and enter",
    arguments: Narrowing.allCases)
  func window(narrowing: Narrowing) throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.change { txn in for n in 0..<1_000 { try txn.insert(Post(title: "\(n)", priority: Int32(n))) } }
    let queries = [(limit: 10, offset: 0), (5, 100), (0, 3), (700, 10), (3, 2_000)]
    let logs = queries.map { _ in EventLog<[String]>() }
    func fetch(_ query: (limit: Int, offset: Int)) -> FetchedResult<Post> {
      let (posts, limit) = (workspace.fetch(for: Post.self), Limit.limit(query.limit))
      let orders = [Post.priority.descending]
      switch narrowing {
      case .range: return posts.where(Post.priority >= 0, limit: limit, offset: query.offset, orderBy: orders)
      case .nothing: return posts.all(limit: limit, offset: query.offset, orderBy: orders)
      case .filter: return posts.where(Post.title != "500", limit: limit, offset: query.offset, orderBy: orders)
      }
    }
    let subscriptions = zip(queries, logs).map { query, log in
      workspace.subscribe(fetchedResult: fetch(query)) { log.append($0.map(\.title)) }
    }
    var known = queries.map { fetch($0).map(\.title) }
    var random = SeededGenerator.announced(for: "limits")
    for step in 0..<40 {
      let (first, count) = (Int32.random(in: 0..<1_000, using: &random), Int32.random(in: 1...60, using: &random))
      let before = logs.map(\.events.count)
      try workspace.change { txn in
        for post in txn.fetch(for: Post.self).where(Post.priority >= first && Post.priority < first + count) {
          if step % 3 == 0 { _ = try txn.update(post) { $0.priority += 30 } } else { try txn.delete(post) }
        }
        if step % 4 == 0 {
          for n in 0..<40 {
            try txn.insert(Post(title: "\(step) \(n)", priority: .random(in: 0..<1_000, using: &random)))
          }
        }
      }
      for (place, query) in queries.enumerated() {
        let fresh = fetch(query).map(\.title)
        let told = logs[place].events.dropFirst(before[place])
        #expect(told.count <= 1)
        #expect((told.last ?? known[place]) == fresh, "step \(step), \(query)")
        known[place] = fresh
      }
    }
    #expect(logs[2].events.isEmpty)
    subscriptions.forEach { $0.cancel() }
  }

  @Test("A window equals a fresh fetch after any number of its kept rows leave", arguments: [false, true])
  func everyCount(isSorted: Bool) throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let orders = isSorted ? [Post.priority.ascending] : []
    func fetch() -> FetchedResult<Post> {
      workspace.fetch(for: Post.self).where(Post.priority >= 0, limit: .limit(4), offset: 3, orderBy: orders)
    }
    // The query needs 7 rows and fetches 23.
    for count in 0...30 {
      try workspace.change { txn in
        _ = try txn.deleteAll(Post.self)
        for n in 0..<40 { try txn.insert(Post(title: "\(n)", priority: Int32(n))) }
      }
      let log = EventLog<[String]>()
      let subscription = workspace.subscribe(fetchedResult: fetch()) { log.append($0.map(\.title)) }
      try workspace.change { txn in
        for post in txn.fetch(for: Post.self).where(Post.priority >= 3 && Post.priority < 3 + Int32(count)) {
          try txn.delete(post)
        }
      }
      #expect(log.events == (count == 0 ? [] : [fetch().map(\.title)]), "\(count) rows leave")
      subscription.cancel()
    }
  }

  @Test("A limited query is fetched again only when it has fewer rows left than it needs")
  func exactlyEnough() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let posts = try workspace.transactAndWait([Post.self]) { txn in
      try (0..<40).map { try txn.insert(Post(title: "\($0)")) }
    }
    let log = EventLog<String>()
    let fetched = workspace.fetch(for: Post.self).all(limit: .limit(7))
    let subscription = workspace.subscribe(fetchedResult: fetched) {
      log.append($0.map(\.title).joined(separator: " "))
    }
    // The query needs 7 rows and knows 23. Reading any other row reports an error.
    let raw = try RawDatabase(test.path)
    try raw.execute("UPDATE post SET payload = x'00' WHERE rowid > 23")
    try workspace.change { txn in for post in posts[0..<16] { try txn.delete(post) } }
    try workspace.settle()
    #expect(log.events == ["16 17 18 19 20 21 22"])
    #expect(test.errors.events.isEmpty)
    try workspace.change { txn in try txn.delete(posts[16]) }
    #expect(try log.wait(forCount: 2).last == "17 18 19 20 21 22")
    #expect(try test.errors.wait(forCount: 1).first?.code == .undecodable)
    subscription.cancel()
  }

  @Test("The cost of a commit doesn't grow with queries that can't match its rows")
  func unconcernedQueries() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    func cost() throws -> UInt64 {
      try (0..<5).map { _ in
        let post = Post(title: "\(UInt64.random(in: .min ... .max))")
        var error: (any Error)?
        let cost = Allocations.count { do { try workspace.insert(post) } catch let caught { error = caught } }
        if let error { throw error }
        return cost
      }.min() ?? 0
    }
    let subscriptions = [workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) { _ in }]
    let few = try cost()
    let unconcerned = (0..<1_000).map { number in
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).where(Post.title == "nobody \(number)")) { _ in
      }
    }
    #expect(try cost() < few + 500)
    (subscriptions + unconcerned).forEach { $0.cancel() }
  }

  @Test("The memory of a large commit grows with its rows, not with its rows times the queries")
  func memory() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let told = EventLog<Int>()
    let subscriptions = (0..<200).flatMap { number in
      let posts = workspace.fetch(for: Post.self)
      return [
        posts.all(limit: .limit(10)),
        posts.where(Post.priority > Int32(-1 - number), limit: .limit(10)),
        posts.all(limit: .limit(10), orderBy: [Post.priority.descending]),
        posts.where(Post.tag.isNull || Post.priority > 5, limit: .limit(10), orderBy: [Post.title.descending]),
      ].map { result in workspace.subscribe(fetchedResult: result) { told.append($0.count) } }
    }
    let rows = 4_000
    // Two words for each pair of a row and a query would be 12 MB.
    let largest = try Allocations.largest {
      try workspace.change { txn in
        for n in 0..<rows { try txn.insert(Post(title: "\(n)", priority: Int32(n))) }
      }
    }
    #expect(largest < 6 << 20)
    #expect(told.events == [Int](repeating: 10, count: subscriptions.count))
    let before = told.events.count
    let again = try Allocations.largest {
      try workspace.change { txn in
        _ = try txn.deleteAll(Post.self, where: Post.priority >= 0 && Post.priority < Int32(rows - 5))
      }
    }
    #expect(again < 6 << 20)
    #expect(told.events.dropFirst(before) == ArraySlice(repeating: 5, count: subscriptions.count))
    subscriptions.forEach { $0.cancel() }
  }
}

import DflatCore
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Limited live queries: what is behind the last row that is seen comes forward, also when more leave than were kept.
@Suite struct LimitTests {
  @Test("A window over a thousand rows stays right while its rows leave from the front, the middle and the back")
  func window() throws {
    let bench = try EntityBench()
    let workspace = bench.workspace
    try workspace.change { txn in for n in 0..<1_000 { try txn.insert(Post(title: "\(n)", priority: Int32(n))) } }
    let queries = [(limit: 10, offset: 0), (5, 100), (0, 3), (700, 10), (3, 2_000)]
    let logs = queries.map { _ in EventLog<[String]>() }
    func fetch(_ query: (limit: Int, offset: Int)) -> FetchedResult<Post> {
      workspace.fetch(for: Post.self).where(
        Post.priority >= 0, limit: .limit(query.limit), offset: query.offset, orderBy: [Post.priority.descending])
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
}

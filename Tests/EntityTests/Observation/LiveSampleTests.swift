import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Live queries of any predicate and order, over fields of every type, equal fresh fetches after every commit.
@Suite struct LiveSampleTests {
  /// A live query and the results that its observer got.
  private final class Watch {
    let query: ModelQuery
    private let told = EventLog<FetchedResult<Sample>>()
    private var known: FetchedResult<Sample>
    private var seen = 0
    private var subscription: WorkspaceSubscription?

    init(_ query: ModelQuery, in workspace: SQLiteWorkspace) throws {
      self.query = query
      // Refetches read in order as often as possible.
      known = try query.query(in: workspace).assumingSize(1).fetch()
      subscription = workspace.subscribe(fetchedResult: known) { [told] in told.append($0) }
    }

    /// Returns true if the observer got the current result, and each result that it got differed from the one before.
    func isRight(in workspace: SQLiteWorkspace) throws -> Bool {
      let fresh = try query.query(in: workspace).fetch()
      for result in told.events.dropFirst(seen) {
        seen += 1
        if Self.contents(result) == Self.contents(known) { return false }
        known = result
      }
      return Self.contents(known) == Self.contents(fresh)
    }

    private static func contents(_ result: FetchedResult<Sample>) -> [Row] {
      result.map { Row(rowid: $0._rowid, bytes: Array($0.toData())) }
    }
  }

  private struct Row: Equatable {
    let rowid: Int64
    let bytes: [UInt8]
  }

  @Test("Random live queries over every type equal fresh fetches after commits", arguments: [1, 2, 3, 4] as [UInt64])
  func everyType(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let test = try TestWorkspace()
    let workspace = test.workspace
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    var made = 0
    func sample() -> Sample {
      made += 1
      return RandomSamples.sample(made, &generator)
    }
    try workspace.transactAndWait([Sample.self]) { txn in for _ in 0..<40 { try txn.insert(sample()) } }
    var watches: [Watch] = []
    for step in 0..<40 {
      while watches.count < 30 {
        var query = ModelQuery(&generator)
        // Every third query has a condition on a vector.
        if watches.count % 3 == 0 {
          let test = SampleFields.vectorTest(&generator)
          query = ModelQuery(
            query.predicate.map { $0.or(test) } ?? test, query.orders, limit: query.limit, offset: query.offset)
        }
        watches.append(try Watch(query, in: workspace))
      }
      let author = step % 4 == 3 ? other : workspace
      try author.transactAndWait([Sample.self]) { txn in
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
          let all = try txn.query(for: Sample.self).fetch()
          let old = all.isEmpty ? nil : all[Int.random(in: 0..<all.count, using: &generator)]
          switch (old, Int.random(in: 0..<6, using: &generator)) {
          case (let old?, 0): try txn.delete(old)
          case (let old?, 1...4): _ = try txn.update(old) { $0 = Sample._Builder(from: sample()) }
          default: try txn.insert(sample())
          }
        }
      }
      try workspace.core.checkForCommits()
      try workspace.settle()
      for watch in watches {
        guard try !watch.isRight(in: workspace) else { continue }
        Issue.record("step \(step), seed \(seed): \(watch.query.text)")
        return
      }
      if step % 3 == 0 { watches.removeFirst(5) }
    }
    #expect(test.errors.events.isEmpty)
  }
}

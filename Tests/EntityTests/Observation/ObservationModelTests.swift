import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// After every commit, of this workspace or another one, a live query equals a fresh fetch. Its observer was notified
/// if and only if the result differs from the one before.
@Suite struct ObservationModelTests {
  /// A live query and the results that its observer got.
  private final class Watch {
    let query: RandomQuery
    let told = EventLog<FetchedResult<Post>>()
    var known: FetchedResult<Post>
    var seen = 0
    var subscription: WorkspaceSubscription?

    init(_ query: RandomQuery, from result: FetchedResult<Post>, in workspace: SQLiteWorkspace) {
      self.query = query
      known = result
      subscription = workspace.subscribe(fetchedResult: result) { [told] in told.append($0) }
    }

    /// Compares the results that were delivered since the last call with a fresh fetch. Commits that are followed
    /// together may be delivered as one.
    func check(_ workspace: SQLiteWorkspace, _ occasion: String) {
      let fresh = query.fetch(in: workspace)
      let news = told.events.dropFirst(seen)
      seen += news.count
      #expect(news.isEmpty == same(fresh, known), "\(occasion): \(query): notified \(news.count) times")
      for result in news {
        #expect(!same(result, known), "\(occasion): \(query): notified without a change")
        checkChanges(of: result, occasion)
        known = result
      }
      #expect(same(fresh, known), "\(occasion): \(query): \(known.map(\.title)), not \(fresh.map(\.title))")
    }

    private func checkChanges(of result: FetchedResult<Post>, _ occasion: String) {
      guard let changes = result.changes else {
        Issue.record("\(occasion): a delivered result doesn't have its changes")
        return
      }
      let (old, new) = (known.map(\._rowid), result.map(\._rowid))
      #expect(FetchedResultChangesTests.apply(changes, to: old, of: new) == new)
      let updated = result.indices.filter { place in
        known.contains { $0._rowid == result[place]._rowid && $0 != result[place] }
      }
      #expect(changes.updated == updated)
      for (object, before) in result.compactMap({ object in
        known.first { $0 == object && $0._rowid == object._rowid }.map { (object, $0) }
      }) {
        #expect(object === before, "an unchanged object was replaced")
      }
    }

    private func same(_ left: FetchedResult<Post>, _ right: FetchedResult<Post>) -> Bool {
      left == right && left.map(\._rowid) == right.map(\._rowid)
    }
  }

  @Test("Live queries equal fresh fetches after every commit", arguments: 0..<6)
  func random(round: Int) throws {
    var random = SeededGenerator.announced(for: "live queries \(round)")
    let test = try TestWorkspace()
    let workspace = test.workspace
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    var watches: [Watch] = []
    /// Results that were fetched some commits ago.
    var older: [(RandomQuery, FetchedResult<Post>)] = []
    for step in 0..<60 {
      var copy = random
      let changeCount = Int.random(in: 1...6, using: &copy)
      let isExternal = Int.random(in: 0..<4, using: &copy) == 0
      let isAborted = Int.random(in: 0..<8, using: &copy) == 0
      let author = isExternal ? other : workspace
      let changes = copy
      try? author.transactAndWait([Post.self]) { txn in
        var random = changes
        for _ in 0..<changeCount { RandomChange.apply(to: txn, using: &random) }
        if isAborted { txn.abort() }
      }
      for _ in 0..<changeCount * 8 { _ = copy.next() }
      random = copy
      if isExternal { try workspace.core.checkForCommits() }
      try workspace.settle()
      for watch in watches { watch.check(workspace, "round \(round), step \(step)") }
      if watches.count < 14 || Int.random(in: 0..<10, using: &random) == 0 {
        let query = RandomQuery(using: &random)
        older.append((query, query.fetch(in: workspace)))
      }
      if let (query, result) = older.first, older.count > Int.random(in: 0...3, using: &random) {
        older.removeFirst()
        watches.append(Watch(query, from: result, in: workspace))
        try workspace.settle()
        watches.last?.check(workspace, "round \(round), step \(step), subscribing")
      }
      if watches.count > 14 {
        watches.remove(at: .random(in: watches.indices, using: &random)).subscription?.cancel()
      }
    }
    #expect(test.errors.events.isEmpty)
  }
}

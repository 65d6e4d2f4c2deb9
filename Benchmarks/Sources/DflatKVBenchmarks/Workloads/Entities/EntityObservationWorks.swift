import DflatEntities
import DflatKV

enum EntityObservationWorks {
  /// Where a measurement begins.
  enum Start {
    case transaction
    /// The end of the transaction's closure.
    case commit
  }

  /// Updates every document. Each measurement ends when all observers have been notified.
  static func update(
    _ count: Int, with observers: DocumentObservers, startingAt start: Start = .transaction, _ scratch: ScratchFolder
  ) throws -> PreparedWork {
    let (workspace, close) = try EntityWorks.filled(
      BenchDoc.self, DocumentDraft.ranked(count), scratch)
    let deliveries = Deliveries(observers.count)
    let subscriptions = subscribe(observers, count, in: workspace, deliveries)
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let documents = EntityWorks.all(BenchDoc.self, in: workspace)
        let revision = observers.revision(numbering.next(), of: count)
        if start == .transaction { state.start() }
        try workspace.transactAndWait([BenchDoc.self]) {
          try EntityWorks.revise(documents, revision, in: $0)
          if start == .commit { state.start() }
        }
        try deliveries.wait()
        try state.end()
      },
      tearDown: {
        for subscription in subscriptions { subscription.cancel() }
        close()
      })
  }

  /// Runs the same update without observers.
  static func updateUnobserved(
    _ count: Int, like observers: DocumentObservers, _ scratch: ScratchFolder
  ) throws -> PreparedWork {
    let (workspace, close) = try EntityWorks.filled(
      BenchDoc.self, DocumentDraft.ranked(count), scratch)
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let documents = EntityWorks.all(BenchDoc.self, in: workspace)
        let revision = observers.revision(numbering.next(), of: count)
        state.start()
        try workspace.transactAndWait([BenchDoc.self]) {
          try EntityWorks.revise(documents, revision, in: $0)
        }
        try state.end()
      }, tearDown: close)
  }

  /// Fetches what the observers observe, without observing it.
  static func fetchAgain(
    _ count: Int, _ observers: DocumentObservers, _ scratch: ScratchFolder
  ) throws -> PreparedWork {
    let (workspace, close) = try EntityWorks.filled(BenchDoc.self, DocumentDraft.ranked(count), scratch)
    let documents = workspace.fetch(for: BenchDoc.self)
    let (titles, ranges) = (observers.titles(of: count), observers.ranges(of: count))
    return PreparedWork(
      work: { state in
        var found = 0
        state.start()
        switch observers {
        case .queriesOfOne, .objects:
          for title in titles { found += documents.where(BenchDoc.title == title).count }
        case .ranges:
          for range in ranges {
            found +=
              documents
              .where(BenchDoc.priority >= range.lowerBound && BenchDoc.priority < range.upperBound).count
          }
        }
        try state.end()
        switch observers {
        case .queriesOfOne, .objects: try BenchmarkFailure.check(found, titles.count)
        case .ranges: try BenchmarkFailure.check(found, ranges.reduce(0) { $0 + $1.count })
        }
      }, tearDown: close)
  }

  private static func subscribe(
    _ observers: DocumentObservers, _ count: Int, in workspace: SQLiteWorkspace,
    _ deliveries: Deliveries
  ) -> [WorkspaceSubscription] {
    switch observers {
    case .queriesOfOne:
      observers.titles(of: count).map { title in
        let result = workspace.fetch(for: BenchDoc.self).where(BenchDoc.title == title)
        return workspace.subscribe(fetchedResult: result) { deliveries.add($0.count == 1) }
      }
    case .objects:
      observers.titles(of: count).compactMap { title in
        workspace.fetch(for: BenchDoc.self).where(BenchDoc.title == title).first.map { document in
          workspace.subscribe(object: document) { change in
            if case .updated = change { deliveries.add(true) } else { deliveries.add(false) }
          }
        }
      }
    case .ranges:
      observers.ranges(of: count).map { range in
        let result = workspace.fetch(for: BenchDoc.self)
          .where(BenchDoc.priority >= range.lowerBound && BenchDoc.priority < range.upperBound)
        return workspace.subscribe(fetchedResult: result) {
          deliveries.add($0.count == range.count)
        }
      }
    }
  }
}

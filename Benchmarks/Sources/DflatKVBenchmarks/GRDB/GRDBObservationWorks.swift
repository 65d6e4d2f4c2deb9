import Dispatch
import GRDB

enum GRDBObservationWorks {
  static func update(
    _ count: Int, with observers: DocumentObservers, _ scratch: ScratchFolder
  ) throws -> PreparedWork {
    let (documents, close) = try GRDBWorks.filled(DocumentDraft.ranked(count), scratch)
    let deliveries = Deliveries(observers.count)
    let observations = observe(observers, count, in: documents, deliveries)
    // Each observation starts by delivering its first value.
    try deliveries.wait()
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let records = try documents.all()
        let revision = observers.revision(numbering.next(), of: count)
        state.start()
        try documents.update(records, revision)
        try deliveries.wait()
        try state.end()
      },
      tearDown: {
        for observation in observations { observation.cancel() }
        close()
      })
  }

  private static func observe(
    _ observers: DocumentObservers, _ count: Int, in documents: GRDBDocuments, _ deliveries: Deliveries
  ) -> [AnyDatabaseCancellable] {
    let queue = DispatchQueue(label: "deliveries")
    switch observers {
    case .queriesOfOne, .objects:
      return observers.titles(of: count).map { title in
        ValueObservation.tracking { try DocumentRecord.fetchOne($0, key: title) }
          .start(in: documents.pool, scheduling: .async(onQueue: queue)) { _ in
            deliveries.add(false)
          } onChange: {
            deliveries.add($0 != nil)
          }
      }
    case .ranges:
      let priority = GRDB.Column("priority")
      return observers.ranges(of: count).map { range in
        ValueObservation.tracking { database in
          try DocumentRecord.filter(priority >= range.lowerBound && priority < range.upperBound).fetchAll(database)
        }
        .start(in: documents.pool, scheduling: .async(onQueue: queue)) { _ in
          deliveries.add(false)
        } onChange: {
          deliveries.add($0.count == range.count)
        }
      }
    }
  }
}

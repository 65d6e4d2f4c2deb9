/// Updates of observed documents: the section "Change Subscription" of Dflat's benchmarks.
enum EntityObservationWorkloads {
  static let all =
    [
      comparison(.queriesOfOne, "1,000 live queries of one object each", id: "queries", limit: 1.3),
      comparison(.objects, "1,000 observed objects", id: "objects", limit: 1.2),
      comparison(
        .ranges(1_000), "1,000 live queries of 1,000 objects each, all rotated", id: "ranges",
        limit: 6),
    ].flatMap { $0 }

  private static let count = 10_000

  private static func comparison(
    _ observers: DocumentObservers, _ description: String, id: String, limit: Double
  ) -> [Comparison] {
    [
      Comparison(
        id: "entity-observe-\(id)", title: "Update 10,000 Objects with \(description)",
        baselineTitle: "the same update with none", limit: limit,
        note: "until the last delivery; without observers, until the completion"
      ) { scratch in
        .init(
          try EntityObservationWorks.update(count, with: observers, scratch),
          against: try EntityObservationWorks.updateUnobserved(count, like: observers, scratch))
      },
      Comparison(
        id: "entity-observe-\(id)-grdb", title: "Update 10,000 Objects with \(description)",
        baselineTitle: "GRDB, ValueObservation", rounds: 2, note: "until the last delivery"
      ) { scratch in
        .init(
          try EntityObservationWorks.update(count, with: observers, scratch),
          against: try GRDBObservationWorks.update(count, with: observers, scratch))
      },
    ]
  }
}

/// Updates of observed documents: the section "Change Subscription" of Dflat's benchmarks.
enum EntityObservationWorkloads {
  /// The observers, with their description and the limit of their cost.
  static let observers: [(observers: DocumentObservers, description: String, id: String, limit: Double)] = [
    (.queriesOfOne, "1,000 live queries of one object each", "queries", 1.15),
    (.objects, "1,000 observed objects", "objects", 1.2),
    (.ranges(1_000), "1,000 live queries of 1,000 objects each, all rotated", "ranges", 6),
  ]

  static let count = 10_000

  static let all = updates + deliveries

  private static let updates = observers.map { observers, description, id, limit in
    Comparison(
      id: "entity-observe-\(id)", title: "Update 10,000 Objects with \(description)",
      baselineTitle: "the same update with none", limit: limit,
      note: "until the last delivery; without observers, until the completion"
    ) { scratch in
      .init(
        try EntityObservationWorks.update(count, with: observers, scratch),
        against: try EntityObservationWorks.updateUnobserved(count, like: observers, scratch))
    }
  }

  /// How long observers wait, next to a program that fetches everything again whenever something has changed.
  private static let deliveries = observers.map { observers, description, id, _ in
    Comparison(
      id: "entity-deliver-\(id)", title: "Deliver 10,000 updated Objects to \(description)",
      baselineTitle: "fetching all that is observed again", rounds: 5,
      note: "from the end of the transaction's closure to the last delivery, so it includes the commit"
    ) { scratch in
      .init(
        try EntityObservationWorks.update(count, with: observers, startingAt: .commit, scratch),
        against: try EntityObservationWorks.fetchAgain(count, observers, scratch))
    }
  }
}

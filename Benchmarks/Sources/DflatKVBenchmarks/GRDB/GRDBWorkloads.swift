/// Comparisons with GRDB. Each has the ID of the one with raw SQLite, which it follows in the report, and `-grdb`.
enum GRDBWorkloads {
  static let all = writes + [fetches] + fetchesByField + observations

  private static let records = "GRDB, records with the same fields"

  private static let writes: [Comparison] = {
    let count = EntityWriteWorkloads.count
    return [
      Comparison(
        id: "entity-insert-grdb", title: "Insert 10,000 Objects", baselineTitle: records, limit: 1
      ) { scratch in
        .init(EntityWorks.insert(BenchDoc.self, count, scratch), against: GRDBWorks.insert(count, scratch))
      },
      Comparison(
        id: "entity-update-grdb", title: "Update 10,000 Objects", baselineTitle: records, limit: 1
      ) { scratch in
        .init(try EntityWorks.update(BenchDoc.self, count, scratch), against: try GRDBWorks.update(count, scratch))
      },
      Comparison(
        id: "entity-delete-grdb", title: "Delete 10,000 Objects", baselineTitle: records, limit: 1
      ) { scratch in
        .init(try EntityWorks.delete(BenchDoc.self, count, scratch), against: try GRDBWorks.delete(count, scratch))
      },
      Comparison(
        id: "entity-update-each-grdb", title: "Update 10,000 Objects Individually",
        baselineTitle: "GRDB, 10,000 transactions", rounds: 5
      ) { scratch in
        .init(
          try EntityWorks.updateIndividually(count, scratch),
          against: try GRDBWorks.updateIndividually(count, scratch))
      },
    ]
  }()

  private static let fetches = Comparison(
    id: "entity-fetch-each-grdb", title: "Fetch 10,000 Objects Individually",
    baselineTitle: "GRDB, fetchOne by the key, 10,000 times", limit: 1
  ) { scratch in
    let count = EntityFetchWorkloads.count
    return .init(
      try EntityWorks.fetchIndividually(count, scratch), against: try GRDBWorks.fetchIndividually(count, scratch))
  }

  private static let fetchesByField = EntityFetchWorkloads.fieldQueries.map { query, number, id in
    Comparison(
      id: "entity-fetch-\(id)-grdb", title: "Fetch \(number) of 10,000 Objects by a field without an index",
      baselineTitle: "GRDB, a filter by the column", limit: 0.8
    ) { scratch in
      let count = EntityFetchWorkloads.count
      return .init(
        try EntityWorks.fetch(query, of: count, scratch), against: try GRDBWorks.fetch(query, of: count, scratch))
    }
  }

  private static let observations = EntityObservationWorkloads.observers.map { observers, description, id, _ in
    Comparison(
      id: "entity-observe-\(id)-grdb", title: "Update 10,000 Objects with \(description)",
      baselineTitle: "GRDB, ValueObservation", rounds: 2, note: "until the last delivery"
    ) { scratch in
      let count = EntityObservationWorkloads.count
      return .init(
        try EntityObservationWorks.update(count, with: observers, scratch),
        against: try GRDBObservationWorks.update(count, with: observers, scratch))
    }
  }
}

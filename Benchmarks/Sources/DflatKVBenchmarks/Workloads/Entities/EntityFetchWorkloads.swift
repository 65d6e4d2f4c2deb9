/// Fetches of documents, by the primary key, by fields without an index, and in the order of an index over two fields.
enum EntityFetchWorkloads {
  static let all = [each] + byField + inOrder

  static let count = 10_000

  private static let each = Comparison(
    id: "entity-fetch-each", title: "Fetch 10,000 Objects Individually",
    baselineTitle: "raw select of the payload, decoded, 10,000 times",
    limit: 1
  ) { scratch in
    .init(
      try EntityWorks.fetchIndividually(count, scratch),
      against: try RawWorks.fetchIndividually(count, scratch))
  }

  /// The time doesn't depend on the number of objects, as far as it is that of an index.
  private static let inOrder = [("100,000", "", 10 * count), ("1,000,000", "-million", 100 * count)].map {
    number, suffix, count in
    Comparison(
      id: "entity-fetch-ordered\(suffix)",
      title: "Fetch the first 10 of \(number) Objects by equality and order, 1,000 times",
      baselineTitle: "raw select with the same index over both fields, decoded, one thread"
    ) { scratch in
      .init(try OrderedFetchWorks.entities(count, scratch), against: try OrderedFetchWorks.raw(count, scratch))
    }
  }

  /// The queries, with the number of the objects that they find.
  static let fieldQueries = [(FieldQuery.priority, "1,667", "1667"), (.color, "3,334", "3334")]

  private static let byField = fieldQueries.map { query, number, id in
    Comparison(
      id: "entity-fetch-\(id)", title: "Fetch \(number) of 10,000 Objects by a field without an index",
      baselineTitle: "raw scan that reads each payload and decodes the matching ones",
      limit: 1.5, rounds: 21
    ) { scratch in
      .init(
        try EntityWorks.fetch(query, of: count, scratch),
        against: try RawWorks.fetch(query, of: count, scratch))
    }
  }
}

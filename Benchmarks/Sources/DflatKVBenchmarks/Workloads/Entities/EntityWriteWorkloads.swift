/// Writes of documents: the section "CRUD" of Dflat's benchmarks.
enum EntityWriteWorkloads {
  static let all = againstSQLite + indexed

  static let count = 10_000
  private static let raw = "raw SQLite, the same tables and payloads"

  private static let againstSQLite = [
    Comparison(id: "entity-insert", title: "Insert 10,000 Objects", baselineTitle: raw, limit: 1.2) {
      scratch in
      .init(
        EntityWorks.insert(BenchDoc.self, count, scratch), against: RawWorks.insert(count, scratch))
    },
    Comparison(id: "entity-update", title: "Update 10,000 Objects", baselineTitle: raw, limit: 1.5) {
      scratch in
      .init(
        try EntityWorks.update(BenchDoc.self, count, scratch),
        against: try RawWorks.update(count, scratch))
    },
    Comparison(id: "entity-delete", title: "Delete 10,000 Objects", baselineTitle: raw, limit: 1.2) {
      scratch in
      .init(
        try EntityWorks.delete(BenchDoc.self, count, scratch),
        against: try RawWorks.delete(count, scratch))
    },
    Comparison(
      id: "entity-update-each", title: "Update 10,000 Objects Individually",
      baselineTitle: "raw SQLite, 10,000 transactions", limit: 0.5
    ) { scratch in
      .init(
        try EntityWorks.updateIndividually(count, scratch),
        against: try RawWorks.updateIndividually(count, scratch))
    },
  ]

  private static let indexed = [
    Comparison(
      id: "entity-insert-indexed", title: "Insert 10,000 Objects, one field indexed",
      baselineTitle: raw, limit: 2
    ) { scratch in
      .init(
        EntityWorks.insert(IndexedDoc.self, count, scratch),
        against: RawWorks.insert(count, indexed: true, scratch))
    },
    Comparison(
      id: "entity-update-indexed", title: "Update 10,000 Objects, one field indexed",
      baselineTitle: raw, limit: 2
    ) { scratch in
      .init(
        try EntityWorks.update(IndexedDoc.self, count, scratch),
        against: try RawWorks.update(count, indexed: true, scratch))
    },
    Comparison(
      id: "entity-delete-indexed", title: "Delete 10,000 Objects, one field indexed",
      baselineTitle: raw, limit: 2
    ) { scratch in
      .init(
        try EntityWorks.delete(IndexedDoc.self, count, scratch),
        against: try RawWorks.delete(count, indexed: true, scratch))
    },
  ]
}

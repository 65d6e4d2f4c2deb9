/// The same workloads with ten times the objects, to show that none takes more than linear time.
enum EntityScaleWorkloads {
  static let all = [
    scale("insert", "Insert") { EntityWorks.insert(BenchDoc.self, $0, $1) },
    scale("update", "Update") { try EntityWorks.update(BenchDoc.self, $0, $1) },
    scale("delete", "Delete") { try EntityWorks.delete(BenchDoc.self, $0, $1) },
    scale("update-each", "Update individually") { try EntityWorks.updateIndividually($0, $1) },
    scale("fetch-each", "Fetch individually") { try EntityWorks.fetchIndividually($0, $1) },
    scale("fetch-part", "Fetch a third, by a field without an index, of") {
      try EntityWorks.fetch(.color, of: $0, $1)
    },
    scale("observe-queries", "Update, with 1,000 live queries of one object each,") {
      try EntityObservationWorks.update($0, with: .queriesOfOne, $1)
    },
    scale("observe-objects", "Update, with 1,000 observed objects,") {
      try EntityObservationWorks.update($0, with: .objects, $1)
    },
    scale("observe-ranges", "Update, with 100 live queries of a tenth of them each, all rotated,") {
      try EntityObservationWorks.update($0, with: .ranges(100), $1)
    },
  ]

  private static let count = 10_000

  private static func scale(
    _ id: String, _ verb: String,
    _ work: @escaping @Sendable (Int, ScratchFolder) throws -> PreparedWork
  ) -> Comparison {
    Comparison(
      id: "entity-scale-\(id)", title: "\(verb) 100,000 Objects", baselineTitle: "10,000 objects",
      limit: 10.5, rounds: 5
    ) { scratch in
      .init(try work(10 * count, scratch), against: try work(count, scratch))
    }
  }
}

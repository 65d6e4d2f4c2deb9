import Benchmark

/// Measures the time per object with 1,000 to 100,000 objects.
enum EntityGrowthWorkload {
  private static let counts = [1_000, 10_000, 100_000]
  /// A measurement repeats until this many objects were used.
  private static let objects = 50_000

  private typealias Work = @Sendable (Int, ScratchFolder) throws -> PreparedWork

  private static let operations: [(id: String, title: String, work: Work, raw: Work)] = [
    (
      "insert-objects", "Insert all objects in one transaction, per object",
      { EntityWorks.insert(BenchDoc.self, $0, $1) }, { RawWorks.insert($0, $1) }
    ),
    (
      "update-objects", "Update all objects in one transaction, per object",
      { try EntityWorks.update(BenchDoc.self, $0, $1) }, { try RawWorks.update($0, $1) }
    ),
    (
      "delete-objects", "Delete all objects in one transaction, per object",
      { try EntityWorks.delete(BenchDoc.self, $0, $1) }, { try RawWorks.delete($0, $1) }
    ),
    (
      "fetch-objects", "Fetch an object by its primary key",
      { try EntityWorks.fetchIndividually($0, $1) }, { try RawWorks.fetchIndividually($0, $1) }
    ),
  ]

  static func measure(_ scratch: ScratchFolder) throws -> [Growth] {
    try operations.map { operation in
      var (points, rawPoints): ([Growth.Point], [Growth.Point]) = ([], [])
      for count in counts {
        let comparison = Comparison(
          id: "growth-\(operation.id)", title: operation.title, baselineTitle: "raw SQLite",
          rounds: max(3, objects / count)
        ) { scratch in
          .init(try operation.work(count, scratch), against: try operation.raw(count, scratch))
        }
        let row = try ComparisonRunner().run(comparison, in: scratch)
        guard let seconds = row.workloadSeconds, let rawSeconds = row.baselineSeconds else { continue }
        points.append(Growth.Point(count: count, nanoseconds: seconds * 1e9 / Double(count)))
        rawPoints.append(Growth.Point(count: count, nanoseconds: rawSeconds * 1e9 / Double(count)))
      }
      return Growth(
        id: operation.id, title: operation.title, subject: .objects,
        series: [.init(name: "DflatKV", points: points), .init(name: "raw SQLite", points: rawPoints)])
    }
  }
}

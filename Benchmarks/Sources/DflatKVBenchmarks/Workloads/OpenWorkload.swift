import DflatKV

/// The cost of opening a file and reading one key, for files with few and with many keys.
enum OpenWorkload {
  static let manyKeys = 1_000_000

  static let comparison = Comparison(
    id: "open-first-get", title: "open + first get, 1,000,000 keys in the file", baselineTitle: "the same with 10 keys",
    limit: 1.5, rounds: 41
  ) { scratch in
    let large = try scratch.newDatabasePath()
    let small = try scratch.newDatabasePath()
    try fill(large, count: manyKeys)
    try fill(small, count: 10)
    return .init(
      workload: openAndGet(large),
      baseline: openAndGet(small),
      tearDown: {
        scratch.removeDatabase(at: large)
        scratch.removeDatabase(at: small)
      })
  }

  /// Writes `count` keys, each with its number as value.
  static func fill(_ path: String, count: Int) throws {
    try Workload.withWorkspace(path) { workspace in
      for first in stride(from: 0, to: count, by: 50_000) {
        try workspace.transactAndWait { transaction in
          for number in first..<min(first + 50_000, count) { transaction.dictionary[key(number), Int.self] = number }
        }
      }
    }
  }

  static func key(_ number: Int) -> String { "key.\(number)" }

  private static func openAndGet(_ path: String) -> Comparison.Work {
    { state in
      state.start()
      let workspace = try SQLiteWorkspace.open(filePath: path)
      let value = workspace.dictionary["key.5", Int.self]
      try state.end()
      workspace.shutdown()
      guard value == 5 else { throw BenchmarkFailure("key.5 has a wrong value") }
    }
  }
}

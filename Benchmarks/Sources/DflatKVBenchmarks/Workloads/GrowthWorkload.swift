import DflatKV

/// Measures single operations on files of different sizes: the time per key in files of 1,000 to 1,000,000 keys.
enum GrowthWorkload {
  private static let counts = [1_000, 10_000, 100_000, 1_000_000]
  /// The number of keys that are read, spread over the whole file.
  private static let readCount = 1_000
  /// A measurement repeats until this many keys were written.
  private static let writtenKeys = 50_000

  static func measure(_ scratch: ScratchFolder) throws -> [Growth] {
    var (inserts, rawInserts, reads, rawReads): ([Growth.Point], [Growth.Point], [Growth.Point], [Growth.Point]) =
      ([], [], [], [])
    for count in counts {
      let keys = (0..<count).map { OpenWorkload.key($0) }
      // The step is prime, so the keys are all different.
      let chosen = (0..<readCount).map { keys[$0 * 7_919 % count] }
      var samples: [[Double]] = [[], [], [], []]
      for _ in 0..<max(3, writtenKeys / count) {
        let (path, rawPath) = (try scratch.newDatabasePath(), try scratch.newDatabasePath())
        samples[0].append(try insert(keys, path) / Double(count))
        samples[1].append(try insertRaw(keys, rawPath) / Double(count))
        samples[2].append(try read(chosen, path) / Double(readCount))
        samples[3].append(try readRaw(chosen, rawPath) / Double(readCount))
        scratch.removeDatabase(at: path)
        scratch.removeDatabase(at: rawPath)
      }
      let points = samples.map { Growth.Point(count: count, nanoseconds: Samples($0).median) }
      inserts.append(points[0])
      rawInserts.append(points[1])
      reads.append(points[2])
      rawReads.append(points[3])
    }
    return [
      Growth(
        id: "insert", title: "Insert all keys in one transaction, per key", subject: .keys,
        series: [.init(name: "DflatKV", points: inserts), .init(name: "raw SQLite", points: rawInserts)]),
      Growth(
        id: "read", title: "Read a key that isn't cached", subject: .keys,
        series: [.init(name: "DflatKV", points: reads), .init(name: "raw SQLite", points: rawReads)]),
    ]
  }

  private static func timing(_ body: () throws -> Void) rethrows -> Double {
    let start = MonotonicClock.nanoseconds
    try body()
    return Double(MonotonicClock.nanoseconds - start)
  }

  private static func insert(_ keys: [String], _ path: String) throws -> Double {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    return try timing {
      try workspace.transactAndWait { transaction in
        for (number, key) in keys.enumerated() { transaction.dictionary[key, Int.self] = number }
      }
    }
  }

  private static func insertRaw(_ keys: [String], _ path: String) throws -> Double {
    let raw = try RawDatabase(path: path)
    return try timing {
      try raw.write { for (number, key) in keys.enumerated() { try raw.insert(key, number) } }
    }
  }

  private static func read(_ keys: [String], _ path: String) throws -> Double {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    // The first read opens a connection.
    guard workspace.dictionary["absent", Int.self] == nil else { throw BenchmarkFailure("an absent key has a value") }
    return try timing {
      for key in keys where workspace.dictionary[key, Int.self] == nil { throw BenchmarkFailure("\(key) is absent") }
    }
  }

  private static func readRaw(_ keys: [String], _ path: String) throws -> Double {
    let raw = try RawDatabase(path: path)
    return try timing {
      try raw.read {
        for key in keys where try raw.select(key) == nil { throw BenchmarkFailure("\(key) is absent") }
      }
    }
  }
}

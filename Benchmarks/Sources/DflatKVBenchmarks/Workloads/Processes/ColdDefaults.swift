import DflatKV
import Foundation

/// The first reads of a process, as at the start of a program: all keys of a file, next to `UserDefaults`, which loads
/// all of them at once. With 1,000 keys, because the reads of `UserDefaults` take longer the more keys there are, on
/// Linux.
enum ColdDefaults {
  private static let rounds = 11
  private static let keys = KeyNames.list(count: Defaults.keyCount)

  static func row(_ scratch: ScratchFolder, rounds: Int?) throws -> Row {
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    let defaults = try Defaults()
    try Workload.withWorkspace(path) { workspace in
      for (number, key) in keys.enumerated() {
        workspace.dictionary[key, Int.self] = number
        defaults.store.set(number, forKey: key)
      }
    }
    _ = defaults.store.synchronize()
    var (workloads, baselines): ([Double], [Double]) = ([], [])
    for _ in 0..<(rounds ?? Self.rounds) {
      workloads.append(try seconds(["cold", path]))
      baselines.append(try seconds(["cold", defaults.domain, "--defaults"]))
    }
    let ratios = Samples(zip(workloads, baselines).map { $0 / $1 })
    return Row(
      id: "cold-user-defaults", title: "Read 1,000 Int, first reads of a process",
      baseline: "UserDefaults, the same in a process of its own", unit: .ratio, measured: ratios.median,
      lowerQuartile: ratios.quantile(0.25), upperQuartile: ratios.quantile(0.75), rounds: workloads.count,
      workloadSeconds: Samples(workloads).median, baselineSeconds: Samples(baselines).median,
      note: "with opening the file; one thread")
  }

  private static func seconds(_ arguments: [String]) throws -> Double {
    let output = try ChildProcess.run(arguments)
    guard let nanoseconds = Double(String(decoding: output, as: UTF8.self).trimming()) else {
      throw BenchmarkFailure("a process printed no time")
    }
    return nanoseconds / 1e9
  }

  // MARK: In the process

  /// Opens the file and reads each key; returns the time in nanoseconds.
  static func read(path: String) throws -> Int {
    let keys = keys
    let start = MonotonicClock.nanoseconds
    let workspace = try SQLiteWorkspace.open(filePath: path)
    for (number, key) in keys.enumerated() where workspace.dictionary[key, Int.self] != number {
      throw BenchmarkFailure("\(key) has a wrong value")
    }
    let end = MonotonicClock.nanoseconds
    workspace.shutdown()
    return end - start
  }

  static func read(domain: String) throws -> Int {
    let keys = keys
    let start = MonotonicClock.nanoseconds
    guard let store = UserDefaults(suiteName: domain) else { throw BenchmarkFailure("no UserDefaults") }
    for (number, key) in keys.enumerated() where store.object(forKey: key) as? Int != number {
      throw BenchmarkFailure("UserDefaults has a wrong value")
    }
    return MonotonicClock.nanoseconds - start
  }
}

import DflatKV
import Foundation

/// Whole processes: kvtool, and SQLite's shell.
enum ToolWorkload {
  private static let rounds = 41

  /// Returns no row without both programs: kvtool beside this one, and `sqlite3` in the search path.
  static func rows(_ scratch: ScratchFolder, rounds: Int?) throws -> [Row] {
    let kvtool = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("kvtool").path ?? ""
    guard FileManager.default.isExecutableFile(atPath: kvtool), let sqlite = search("sqlite3") else { return [] }
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    try Workload.withWorkspace(path) { workspace in
      try workspace.transactAndWait { transaction in
        for number in 0..<1_000 { transaction.dictionary["key.\(number)", Int.self] = number }
      }
    }
    var (workloads, baselines): ([Double], [Double]) = ([], [])
    // The first pair warms up.
    for round in 0...(rounds ?? Self.rounds) {
      let workload = try seconds(kvtool, ["get", "key.7", "--db", path])
      let baseline = try seconds(sqlite, [path, "SELECT value FROM dictionary WHERE namespace = '' AND key = 'key.7'"])
      if round == 0 { continue }
      workloads.append(workload)
      baselines.append(baseline)
    }
    let ratios = Samples(zip(workloads, baselines).map { $0 / $1 })
    return [
      Row(
        id: "kvtool-get", title: "`kvtool get`, the whole process", baseline: "`sqlite3 FILE 'SELECT …'`", unit: .ratio,
        measured: ratios.median, lowerQuartile: ratios.quantile(0.25), upperQuartile: ratios.quantile(0.75), limit: 1.5,
        rounds: workloads.count, workloadSeconds: Samples(workloads).median,
        baselineSeconds: Samples(baselines).median)
    ]
  }

  private static func seconds(_ program: String, _ arguments: [String]) throws -> Double {
    let start = MonotonicClock.nanoseconds
    let output = try ChildProcess.run(arguments, of: URL(fileURLWithPath: program))
    let end = MonotonicClock.nanoseconds
    guard String(decoding: output, as: UTF8.self).trimming() == "7" else {
      throw BenchmarkFailure("\(program) printed \(String(decoding: output, as: UTF8.self))")
    }
    return Double(end - start) / 1e9
  }

  static func search(_ name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

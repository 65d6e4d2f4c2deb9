import Benchmark
import DflatKV
import Dispatch

/// Single durable writes, each awaited before the next.
enum SingleWorkloads {
  static let all = [setAndSynchronize, transactAndWait, performChanges]

  private static let measurements = 300
  private static let tenKeys = KeyNames.list(count: 10)

  static let setAndSynchronize = Comparison(
    id: "set-synchronize", title: "set + synchronize, one at a time, median",
    baselineTitle: "raw SQLite, one transaction of one row", limit: 1.5, rounds: 21, iterations: measurements
  ) { scratch in
    let keys = KeyNames.list(count: 1_000)
    return try sides(
      scratch,
      workload: { workspace, number in
        workspace.dictionary[keys[number % keys.count], Int.self] = number
        try workspace.dictionary.synchronize()
      },
      baseline: { raw, number in
        try raw.write { try raw.insert(keys[number % keys.count], number) }
      })
  }

  static let transactAndWait = Comparison(
    id: "transaction-10", title: "transaction of 10 keys (transactAndWait), one at a time, median",
    baselineTitle: "raw SQLite, one transaction of 10 rows", limit: 1.5, rounds: 21, iterations: measurements
  ) { scratch in
    try sides(
      scratch,
      workload: { workspace, number in
        try workspace.transactAndWait { transaction in
          for key in tenKeys { transaction.dictionary[key, Int.self] = number }
        }
      },
      baseline: tenRows)
  }

  static let performChanges = Comparison(
    id: "perform-changes-10", title: "transaction of 10 keys (performChanges, completion awaited), median",
    baselineTitle: "raw SQLite, one transaction of 10 rows", limit: 2.5, rounds: 21, iterations: measurements
  ) { scratch in
    try sides(
      scratch,
      workload: { workspace, number in
        let completed = DispatchSemaphore(value: 0)
        workspace.performChanges([]) { transaction in
          for key in tenKeys { transaction.dictionary[key, Int.self] = number }
        } completionHandler: { _ in
          completed.signal()
        }
        completed.wait()
      },
      baseline: tenRows)
  }

  private static func tenRows(_ raw: RawDatabase, _ number: Int) throws {
    try raw.write {
      for key in tenKeys { try raw.insert(key, number) }
    }
  }

  /// Creates both sides on files that stay open. Each operation gets a new number, so that it changes the file.
  private static func sides(
    _ scratch: ScratchFolder,
    workload: @escaping (SQLiteWorkspace, Int) throws -> Void,
    baseline: @escaping (RawDatabase, Int) throws -> Void
  ) throws -> Comparison.Sides {
    let path = try scratch.newDatabasePath()
    let rawPath = try scratch.newDatabasePath()
    let workspace = try SQLiteWorkspace.open(filePath: path)
    let raw = try RawDatabase(path: rawPath)
    var number = 0
    return .init(
      workload: { state in
        number += 1
        state.start()
        try workload(workspace, number)
        try state.end()
      },
      baseline: { state in
        number += 1
        state.start()
        try baseline(raw, number)
        try state.end()
      },
      tearDown: {
        workspace.shutdown()
        scratch.removeDatabase(at: path)
        scratch.removeDatabase(at: rawPath)
      })
  }
}

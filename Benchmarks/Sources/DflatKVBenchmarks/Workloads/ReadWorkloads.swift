import DflatKV

/// Reads of integers by 100 concurrent tasks: hot from the cache, cold from the file.
enum ReadWorkloads {
  static let all = [hot, cold, coldOnOneThread, coldRepeated]

  private static let hotPasses = 20

  static let hot = Comparison(
    id: "read-int-hot", title: "Read 40,000 Int, Hot, two threads",
    baselineTitle: "16-way sharded Mutex<[String: Int]>, two threads", limit: 1, rounds: 21,
    note: "\(hotPasses) passes per measurement"
  ) { scratch in
    let keys = KeyNames.list()
    let path = try Workload.filledFile(scratch, keys: keys)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    let dictionary = workspace.dictionary
    let sharded = ShardedDictionary()
    for (index, key) in keys.enumerated() {
      sharded[key] = index
      _ = dictionary[key, Int.self]
    }
    return .init(
      workload: { state in
        try TaskMeasurement.onTwoThreads(&state, passes: hotPasses) { dictionary[keys[$0], Int.self] == $0 }
      },
      baseline: { state in
        try TaskMeasurement.onTwoThreads(&state, passes: hotPasses) { sharded[keys[$0]] == $0 }
      },
      tearDown: {
        workspace.shutdown()
        scratch.removeDatabase(at: path)
      })
  }

  static let cold = Comparison(
    id: "read-int-cold", title: "Read 40,000 Int, Cold",
    baselineTitle: "raw select in a held read transaction, 40,000 times", limit: 2
  ) { scratch in
    let keys = KeyNames.list()
    let path = try Workload.filledFile(scratch, keys: keys)
    let rawPath = try Workload.filledRawFile(scratch, keys: keys)
    return .init(
      workload: { state in
        try Workload.withWorkspace(path) { workspace in
          let dictionary = workspace.dictionary
          guard dictionary["absent", Int.self] == nil else { throw BenchmarkFailure("an absent key has a value") }
          try TaskMeasurement.concurrently(&state) { index in dictionary[keys[index], Int.self] == index }
        }
      },
      baseline: rawSelect(rawPath, keys: keys, times: 1),
      tearDown: {
        scratch.removeDatabase(at: path)
        scratch.removeDatabase(at: rawPath)
      })
  }

  static let coldOnOneThread = Comparison(
    id: "read-int-cold-one", title: "Read 40,000 Int, Cold, one thread",
    baselineTitle: "raw select in a held read transaction, 40,000 times", limit: 1.3
  ) { scratch in
    let keys = KeyNames.list()
    let path = try Workload.filledFile(scratch, keys: keys)
    let rawPath = try Workload.filledRawFile(scratch, keys: keys)
    return .init(
      workload: { state in
        try Workload.withWorkspace(path) { workspace in
          try TaskMeasurement.onOneThread(&state, workspace.dictionary) { $0[keys[$1], Int.self] == $1 }
        }
      },
      baseline: rawSelect(rawPath, keys: keys, times: 1),
      tearDown: {
        scratch.removeDatabase(at: path)
        scratch.removeDatabase(at: rawPath)
      })
  }

  static let coldRepeated = Comparison(
    id: "read-400-int-cold", title: "Read 400 Int 100 Times, Cold",
    baselineTitle: "raw select of the same, 40,000 in all",
    note: "each measurement opens a new workspace with its first read, and includes that"
  ) { scratch in
    let keys = KeyNames.list()
    let path = try Workload.filledFile(scratch, keys: keys)
    let rawPath = try Workload.filledRawFile(scratch, keys: keys)
    let few = Array(keys.prefix(ConcurrentTasks.operationsPerTask))
    return .init(
      workload: { state in
        let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
        defer { workspace.shutdown() }
        let dictionary = workspace.dictionary
        try TaskMeasurement.concurrently(&state) { index in
          let number = index % ConcurrentTasks.operationsPerTask
          return dictionary[few[number], Int.self] == number
        }
      },
      baseline: rawSelect(rawPath, keys: few, times: ConcurrentTasks.taskCount),
      tearDown: {
        scratch.removeDatabase(at: path)
        scratch.removeDatabase(at: rawPath)
      })
  }

  private static func rawSelect(_ path: String, keys: [String], times: Int) -> Comparison.Work {
    { state in
      let raw = try RawDatabase(path: path)
      try raw.read {
        guard try raw.select("absent") == nil else { throw BenchmarkFailure("an absent key has a value") }
        state.start()
        for _ in 0..<times {
          for (index, key) in keys.enumerated() where try raw.select(key) != index {
            throw BenchmarkFailure("\(key) has a wrong value")
          }
        }
        try state.end()
      }
    }
  }
}

import DflatKV
import Foundation
import Synchronization

/// Values of a program's own type, stored as property lists.
enum CodableWorkloads {
  static let all = [insertReturned, insertSynced, cold]

  static let insertReturned = Comparison(
    id: "insert-codable", title: "Insert 40,000 Codable",
    baselineTitle: "the property list encoder alone, 40,000 times",
    limit: 0.35, note: "until the last call returned; both with 100 concurrent tasks"
  ) { scratch in
    let keys = KeyNames.list()
    return .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          state.start()
          setAll(keys, in: dictionary)
          try state.end()
          try dictionary.synchronize()
        }
      },
      baseline: { state in
        state.start()
        ConcurrentTasks.run { range in
          let encoder = PropertyListEncoder()
          encoder.outputFormat = .binary
          for index in range { blackHole(try? encoder.encode(Preferences(index))) }
        }
        try state.end()
      })
  }

  static let insertSynced = Comparison(
    id: "insert-codable-synced", title: "Insert 40,000 Codable, Synced",
    baselineTitle: "the property list encoder, then raw SQLite, 40,000 rows in one transaction",
    note: "both encode with 100 concurrent tasks"
  ) { scratch in
    let keys = KeyNames.list()
    return .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          state.start()
          setAll(keys, in: dictionary)
          try dictionary.synchronize()
          try state.end()
        }
      },
      baseline: { state in
        try Workload.withNewRawDatabase(scratch) { raw in
          state.start()
          let encoded = Mutex<[Range<Int>: [Data]]>([:])
          ConcurrentTasks.run { range in
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            let lists = range.compactMap { try? encoder.encode(Preferences($0)) }
            encoded.withLock { $0[range] = lists }
          }
          try raw.write {
            for (range, lists) in encoded.withLock({ $0 }) {
              for (index, list) in zip(range, lists) { try list.withUnsafeBytes { try raw.insert(keys[index], $0) } }
            }
          }
          try state.end()
        }
      })
  }

  static let cold = Comparison(
    id: "read-codable-cold", title: "Read 40,000 Codable, Cold",
    baselineTitle: "the property list decoder alone, 40,000 times", limit: 0.35,
    note: "both with 100 concurrent tasks"
  ) { scratch in
    let keys = KeyNames.list()
    let path = try scratch.newDatabasePath()
    try Workload.withWorkspace(path) { workspace in
      for (index, key) in keys.enumerated() { workspace.dictionary[key, Preferences.self] = Preferences(index) }
      try workspace.dictionary.synchronize()
    }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let encoded = try keys.indices.map { try encoder.encode(Preferences($0)) }
    return .init(
      workload: { state in
        try Workload.withWorkspace(path) { workspace in
          let dictionary = workspace.dictionary
          try TaskMeasurement.concurrently(&state) {
            dictionary[keys[$0], Preferences.self] == Preferences($0)
          }
        }
      },
      baseline: { state in
        try TaskMeasurement.concurrently(&state) {
          (try? PropertyListDecoder().decode(Preferences.self, from: encoded[$0])) == Preferences($0)
        }
      },
      tearDown: { scratch.removeDatabase(at: path) })
  }

  /// Sets each key to a value of its number, in 100 tasks of 400 keys each.
  private static func setAll(_ keys: [String], in dictionary: WorkspaceDictionary) {
    ConcurrentTasks.run { range in
      for index in range { dictionary[keys[index], Preferences.self] = Preferences(index) }
    }
  }

  /// Prevents the optimizer from removing an unused result.
  @inline(never)
  private static func blackHole(_ value: Data?) {}
}

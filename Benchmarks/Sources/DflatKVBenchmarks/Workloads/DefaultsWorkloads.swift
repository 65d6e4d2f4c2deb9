import DflatKV
import Foundation

/// The same loads against `UserDefaults`. These rows are informative and have no limit.
enum DefaultsWorkloads {
  static let all = [insert, update, readHot]

  static let insert = Comparison(
    id: "insert-int-user-defaults", title: "Insert 40,000 Int, Synced",
    baselineTitle: "UserDefaults, set and synchronize",
    rounds: 5, baselineScale: Defaults.scale, note: Defaults.note
  ) { scratch in
    let keys = KeyNames.list()
    return .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          state.start()
          Workload.setAll(keys, in: dictionary)
          try dictionary.synchronize()
          try state.end()
        }
      },
      baseline: { state in
        let defaults = try Defaults()
        state.start()
        for index in 0..<Defaults.keyCount { defaults.store.set(index, forKey: keys[index]) }
        _ = defaults.store.synchronize()
        try state.end()
      })
  }

  static let update = Comparison(
    id: "update-one-key-user-defaults", title: "Update 1 Key 40,000 Int, Synced",
    baselineTitle: "UserDefaults, set and synchronize", rounds: 5, baselineScale: Defaults.scale,
    note: "UserDefaults with 1,000 updates, its time scaled to 40,000"
  ) { scratch in
    .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          state.start()
          ConcurrentTasks.run { range in
            for index in range { dictionary["key", Int.self] = index }
          }
          try dictionary.synchronize()
          try state.end()
        }
      },
      baseline: { state in
        let defaults = try Defaults()
        state.start()
        for index in 0..<Defaults.keyCount { defaults.store.set(index, forKey: "key") }
        _ = defaults.store.synchronize()
        try state.end()
      })
  }

  static let readHot = Comparison(
    id: "read-int-hot-user-defaults", title: "Read 40,000 Int, Hot", baselineTitle: "UserDefaults", rounds: 5,
    baselineScale: Defaults.scale, note: Defaults.note
  ) { scratch in
    let keys = KeyNames.list()
    let path = try Workload.filledFile(scratch, keys: keys)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    let dictionary = workspace.dictionary
    let defaults = try Defaults()
    for (index, key) in keys.enumerated() { _ = dictionary[key, Int.self] == index }
    for index in 0..<Defaults.keyCount { defaults.store.set(index, forKey: keys[index]) }
    return .init(
      workload: { state in
        try TaskMeasurement.concurrently(&state) { dictionary[keys[$0], Int.self] == $0 }
      },
      baseline: { state in
        state.start()
        for index in 0..<Defaults.keyCount where defaults.store.integer(forKey: keys[index]) != index {
          throw BenchmarkFailure("UserDefaults has a wrong value")
        }
        try state.end()
      },
      tearDown: {
        workspace.shutdown()
        scratch.removeDatabase(at: path)
      })
  }
}

import DflatKV

/// Plain writes of integers by 100 concurrent tasks.
enum InsertWorkloads {
  static let all = [
    insertReturned, insertAnotherReturned, updateOneKeyReturned, insertSynced, insertSyncedOnOneThread, insertAnother,
    updateOneKey, insertSyncedAgainstManyTransactions,
  ]

  private static let oneTransaction = "raw SQLite, 40,000 rows in one transaction"
  private static let untilReturned = "until the last call returned"

  static let insertReturned = Comparison(
    id: "insert-int", title: "Insert 40,000 Int", baselineTitle: oneTransaction, limit: 0.6,
    note: untilReturned
  ) { scratch in
    let keys = KeyNames.list()
    return .init(workload: returned(scratch, keys: keys), baseline: Workload.rawInOneTransaction(scratch, keys: keys))
  }

  static let insertAnotherReturned = Comparison(
    id: "insert-another-returned", title: "Insert Another 40,000 Int",
    baselineTitle: "the first 40,000 of the dictionary", note: untilReturned
  ) { scratch in
    let first = KeyNames.list()
    let second = KeyNames.list("key2.")
    return .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          Workload.setAll(first, in: dictionary)
          try dictionary.synchronize()
          state.start()
          Workload.setAll(second, in: dictionary)
          try state.end()
          try dictionary.synchronize()
        }
      },
      baseline: returned(scratch, keys: first))
  }

  static let updateOneKeyReturned = Comparison(
    id: "update-one-key-returned", title: "Update 1 Key 40,000 Int", baselineTitle: "Insert 40,000 Int",
    note: untilReturned
  ) { scratch in
    .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          state.start()
          setOneKey(of: dictionary)
          try state.end()
          try dictionary.synchronize()
        }
      },
      baseline: returned(scratch, keys: KeyNames.list()))
  }

  static let insertSynced = Comparison(
    id: "insert-int-synced", title: "Insert 40,000 Int, Synced", baselineTitle: oneTransaction, limit: 1.3
  ) { scratch in
    let keys = KeyNames.list()
    return .init(workload: synced(scratch, keys: keys), baseline: Workload.rawInOneTransaction(scratch, keys: keys))
  }

  static let insertSyncedOnOneThread = Comparison(
    id: "insert-int-synced-one", title: "Insert 40,000 Int, Synced, one thread", baselineTitle: oneTransaction,
    limit: 1.3, note: "one thread makes the calls; the library's own thread writes the file"
  ) { scratch in
    let keys = KeyNames.list()
    return .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          state.start()
          for (index, key) in keys.enumerated() { dictionary[key, Int.self] = index }
          try dictionary.synchronize()
          try state.end()
        }
      },
      baseline: Workload.rawInOneTransaction(scratch, keys: keys))
  }

  static let insertSyncedAgainstManyTransactions = Comparison(
    id: "insert-int-synced-many", title: "Insert 40,000 Int, Synced",
    baselineTitle: "raw SQLite, 40,000 transactions of one row", rounds: 5
  ) { scratch in
    let keys = KeyNames.list()
    return .init(
      workload: synced(scratch, keys: keys),
      baseline: { state in
        try Workload.withNewRawDatabase(scratch) { raw in
          state.start()
          for (index, key) in keys.enumerated() {
            try raw.write { try raw.insert(key, index) }
          }
          try state.end()
        }
      })
  }

  static let insertAnother = Comparison(
    id: "insert-another", title: "Insert Another 40,000 Int, Synced",
    baselineTitle: "the first 40,000 of the dictionary, synced", limit: 1.2
  ) { scratch in
    let first = KeyNames.list()
    let second = KeyNames.list("key2.")
    return .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          Workload.setAll(first, in: dictionary)
          try dictionary.synchronize()
          state.start()
          Workload.setAll(second, in: dictionary)
          try dictionary.synchronize()
          try state.end()
        }
      },
      baseline: synced(scratch, keys: first))
  }

  static let updateOneKey = Comparison(
    id: "update-one-key", title: "Update 1 Key 40,000 Int, Synced", baselineTitle: oneTransaction, limit: 0.3
  ) { scratch in
    .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          let dictionary = workspace.dictionary
          state.start()
          setOneKey(of: dictionary)
          try dictionary.synchronize()
          try state.end()
        }
      },
      baseline: Workload.rawInOneTransaction(scratch, keys: KeyNames.list()))
  }

  private static func setOneKey(of dictionary: WorkspaceDictionary) {
    ConcurrentTasks.run { range in
      for index in range { dictionary["key", Int.self] = index }
    }
  }

  private static func returned(_ scratch: ScratchFolder, keys: [String]) -> Comparison.Work {
    { state in
      try Workload.withNewWorkspace(scratch) { workspace in
        let dictionary = workspace.dictionary
        state.start()
        Workload.setAll(keys, in: dictionary)
        try state.end()
        try dictionary.synchronize()
      }
    }
  }

  private static func synced(_ scratch: ScratchFolder, keys: [String]) -> Comparison.Work {
    { state in
      try Workload.withNewWorkspace(scratch) { workspace in
        let dictionary = workspace.dictionary
        state.start()
        Workload.setAll(keys, in: dictionary)
        try dictionary.synchronize()
        try state.end()
      }
    }
  }
}

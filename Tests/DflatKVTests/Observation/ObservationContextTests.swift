import DflatCore
import DflatKV
import TestSupport
import Testing

/// Observations that begin in transactions, snapshots and handlers, and snapshots in their closures.
@Suite(.timeLimit(.minutes(15))) struct ObservationContextTests {
  @Test("A transaction's closure that subscribes gets the committed value first, then its own")
  func inTransaction() throws {
    let test = try TestWorkspace()
    try test.commit(1)
    let log = EventLog<Int>()
    let observation = test.workspace.observe { $0.dictionary["k", default: 0] }
    var subscriptions: [WorkspaceSubscription] = []
    try test.workspace.transactAndWait { txn in
      txn.dictionary["k"] = 2
      subscriptions.append(observation.subscribe { log.append($0) })
      #expect(log.events == [1])
      #expect(txn.dictionary["k"] == 2)
    }
    try test.settle()
    #expect(log.events == [1, 2])
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { txn in
        txn.dictionary["k"] = 3
        subscriptions.append(observation.subscribe { log.append($0) })
        txn.abort()
      }
    }
    try test.commit(4)
    #expect(log.events == [1, 2, 2, 4, 4])
  }

  @Test("A snapshot that subscribes gets the newest commit, not its own") func inSnapshot() throws {
    let test = try TestWorkspace()
    try test.commit(1)
    let log = EventLog<Int>()
    let subscription = try test.workspace.fetchWithinASnapshot {
      test.dictionary["k"] = 2
      try test.dictionary.synchronize()
      let subscription = test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { log.append($0) }
      #expect(test.dictionary["k"] == 1)
      return subscription
    }
    #expect(log.events == [2])
    subscription.cancel()
  }

  @Test("A11: A change handler may write what is observed, and begin another observation") func inHandler() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let log = EventLog<Int>()
    let inner = EventLog<Int>()
    let subscriptions = Lock<[WorkspaceSubscription]>([])
    let observation = workspace.observe { $0.dictionary["k", default: 0] }
    let subscription = observation.subscribe { value in
      log.append(value)
      if value == 3 {
        let made = observation.subscribe { inner.append($0) }
        subscriptions.withLock { $0.append(made) }
      }
      guard value < 5 else { return }
      do {
        try workspace.transactAndWait { $0.dictionary["k"] = value + 1 }
      } catch { Issue.record(error) }
    }
    #expect(try log.wait { $0.last == 5 } == [0, 1, 2, 3, 4, 5])
    try test.settle()
    // The second observation may run once for both of the commits after its first value.
    #expect([[3, 4, 5], [3, 5]].contains(inner.events))
    subscription.cancel()
    subscriptions.withLock { $0 = [] }
  }

  @Test("A snapshot in the closure shows the closure's commit") func nestedSnapshot() throws {
    let test = try TestWorkspace()
    let log = EventLog<[Int]>()
    let workspace = test.workspace
    let subscription = workspace.observe { reader -> [Int] in
      let first = reader.dictionary["k", default: 0]
      let second = workspace.fetchWithinASnapshot { workspace.dictionary["k", default: 0] }
      return [first, second, reader.fetchWithinASnapshot { reader.dictionary["k", default: 0] }]
    }.subscribe { log.append($0) }
    try test.commit(1)
    #expect(log.events == [[0, 0, 0], [1, 1, 1]])
    subscription.cancel()
  }
}

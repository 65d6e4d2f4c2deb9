import DflatCore
import TestSupport
import Testing

@testable import DflatKV

/// The end of observations: errors, refused calls, cancellation, shutdown.
@Suite("The end of observations", .timeLimit(.minutes(5))) struct ObservationEndTests {
  struct Refusal: Error, Equatable {}

  /// Commits a value in a transaction, and waits for its observers.
  private func commit(_ value: Int, in test: TestWorkspace) throws {
    try test.workspace.transactAndWait { $0.dictionary["k"] = value }
    try test.settle()
  }

  private func trackedReads(in test: TestWorkspace) -> Int { DictionaryStore.of(test.core).trackedReads.count }

  // MARK: Errors

  @Test("An error that the closure throws ends the observation, and nothing is tracked any more") func thrown() throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    let errors = EventLog<Bool>()
    let subscription = test.workspace.observe { reader -> Int in
      let value = reader.dictionary["k", default: 0]
      if value == 2 { throw Refusal() }
      return value
    }.subscribe { error in
      errors.append(error is Refusal)
    } changeHandler: {
      log.append($0)
    }
    for value in 1...4 { try commit(value, in: test) }
    #expect(log.events == [0, 1])
    #expect(errors.events == [true])
    #expect(trackedReads(in: test) == 0)
    #expect(test.errors.events.isEmpty)
    subscription.cancel()
  }

  @Test("An error of the first run comes before subscribe returns") func thrownAtFirst() throws {
    let test = try TestWorkspace()
    let errors = EventLog<Bool>()
    let subscription = test.workspace.observe { _ -> Int in throw Refusal() }.subscribe { error in
      errors.append(error is Refusal)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    #expect(errors.events == [true])
    subscription.cancel()
  }

  @Test("A7: Without a handler for errors, the workspace's error handler gets the error") func reported() throws {
    let test = try TestWorkspace()
    let subscription = test.workspace.observe { _ -> Int in throw Refusal() }.subscribe { _ in }
    let error = try #require(try test.errors.wait(forCount: 1).first)
    #expect(error.underlying is Refusal)
    subscription.cancel()
  }

  @Test("A value that can't be decoded is absent for a subscript, and an error for a throwing read")
  func damage() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      txn.dictionary["bad"] = 1
      txn.dictionary["k"] = 1
    }
    try RawDatabase.execute("UPDATE dictionary SET type = 99 WHERE key = 'bad'", on: test.path)
    let other = try test.another()
    let log = EventLog<String>()
    let absent = other.workspace.observe { reader -> String in
      "\(reader.dictionary["bad", Int.self] as Any) \(reader.dictionary["k", default: 0])"
    }.subscribe { log.append($0) }
    let codes = EventLog<WorkspaceError.Code?>()
    let thrown = other.workspace.observe { try $0.dictionary.value(forKey: "bad", as: Int.self) }.subscribe { error in
      codes.append((error as? WorkspaceError)?.code)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    #expect(codes.events == [.undecodable])
    #expect(try other.errors.wait(forCount: 1).first?.code == .undecodable)
    try commit(2, in: other)
    #expect(log.events == ["nil 1", "nil 2"])
    for subscription in [absent, thrown] { subscription.cancel() }
  }

  @Test("A failure to read the file is an error, even if the closure takes the value for absent")
  func unreadable() throws {
    let text = String(repeating: "x", count: 100_000)
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary["text"] = text }
    test.workspace.shutdown()
    let other = try test.another { $0.vfs = FaultPlan.vfsName }
    let codes = EventLog<WorkspaceError.Code?>()
    let observation = other.workspace.observe { $0.dictionary["text", String.self] == nil }
    let plan = try FaultPlan(.read, in: test.directory.path, fail: .from(1))
    let subscription = observation.subscribe { error in
      codes.append((error as? WorkspaceError)?.code)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    plan.cancel()
    #expect(codes.events == [.inputOutput])
    // The file can be read again.
    let log = EventLog<Bool>()
    let second = observation.subscribe { log.append($0) }
    #expect(log.events == [false])
    for subscription in [subscription, second] { subscription.cancel() }
  }

  // MARK: Refused calls

  enum Write: CaseIterable, Sendable {
    case set, setCodable, remove, removeAll, update, compareAndSet, transactAndWait, performChanges

    func run(on workspace: SQLiteWorkspace) throws {
      let dictionary = workspace.dictionary
      switch self {
      case .set: dictionary["new"] = 1
      case .setCodable: dictionary["new"] = Point(x: 1, y: 1)
      case .remove: dictionary.removeValue(forKey: "k")
      case .removeAll: dictionary.removeAll()
      case .update: try dictionary.update("new", default: 0) { $0 += 1 }
      case .compareAndSet: _ = try dictionary.compareAndSet("k", expected: 1, new: 2)
      case .transactAndWait: try workspace.transactAndWait { $0.dictionary["new"] = 1 }
      case .performChanges: workspace.performChanges([]) { $0.dictionary["new"] = 1 }
      }
    }
  }

  @Test("A closure can't write, even if it ignores the error", arguments: Write.allCases, [false, true])
  func writing(_ write: Write, inTransaction: Bool) throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    let workspace = test.workspace
    let codes = EventLog<WorkspaceError.Code?>()
    func subscribe() -> WorkspaceSubscription {
      workspace.observe { reader -> Int in
        try? write.run(on: workspace)
        return reader.dictionary["k", default: 0]
      }.subscribe { error in
        codes.append((error as? WorkspaceError)?.code)
      } changeHandler: { _ in
        Issue.record("A value was delivered.")
      }
    }
    let subscription = inTransaction ? try workspace.transactAndWait { _ in subscribe() } : subscribe()
    #expect(codes.events == [.invalidRequest])
    try test.dictionary.synchronize()
    try test.settle()
    #expect(test.dictionary.keys == ["k"])
    #expect(test.dictionary["k"] == 1)
    #expect(workspace.commitNumber == 1)
    subscription.cancel()
  }

  enum Read: CaseIterable, Sendable {
    case cached, uncached, keys, snapshot, namespaces

    func run(on workspace: SQLiteWorkspace) {
      let dictionary = workspace.dictionary
      switch self {
      case .cached: _ = dictionary["cached", Int.self]
      case .uncached: _ = dictionary["uncached", Int.self]
      case .keys: _ = dictionary.keys
      case .snapshot: workspace.fetchWithinASnapshot { _ = dictionary["cached", Int.self] }
      case .namespaces: _ = try? dictionary.namespaces()
      }
    }
  }

  @Test("A closure can't read another workspace, even if it tries", arguments: Read.allCases, [false, true])
  func reading(_ read: Read, inTransaction: Bool) throws {
    let test = try TestWorkspace()
    let foreign = try TestWorkspace()
    try foreign.workspace.transactAndWait { $0.dictionary["cached"] = 1 }
    let codes = EventLog<WorkspaceError.Code?>()
    func subscribe() -> WorkspaceSubscription {
      test.workspace.observe { reader -> Int in
        read.run(on: foreign.workspace)
        return reader.dictionary["k", default: 0]
      }.subscribe { error in
        codes.append((error as? WorkspaceError)?.code)
      } changeHandler: { _ in
        Issue.record("A value was delivered.")
      }
    }
    // Also in a transaction of that workspace, whose own reads would show uncommitted values.
    let subscription = inTransaction ? try foreign.workspace.transactAndWait { _ in subscribe() } : subscribe()
    #expect(codes.events == [.invalidRequest])
    #expect(foreign.dictionary["cached"] == 1)
    subscription.cancel()
  }

  // MARK: Contexts

  @Test("A transaction's closure that subscribes gets the committed value first, then its own")
  func inTransaction() throws {
    let test = try TestWorkspace()
    try commit(1, in: test)
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
    try commit(4, in: test)
    #expect(log.events == [1, 2, 2, 4, 4])
  }

  @Test("A snapshot that subscribes gets the newest commit, not its own") func inSnapshot() throws {
    let test = try TestWorkspace()
    try commit(1, in: test)
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
    try commit(1, in: test)
    #expect(log.events == [[0, 0, 0], [1, 1, 1]])
    subscription.cancel()
  }

  // MARK: Cancellation

  @Test("Cancelling doesn't wait for a value that is about to be delivered, which is the last") func takenUp() throws {
    // delivery:    takes k = 1 up ─ stops                     ─ calls the handler
    // canceller:                           cancels, returns
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { log.append($0) }
    let stop = Stop(at: .callbackTaken, in: test)
    let writer = BackgroundThread { try test.workspace.transactAndWait { $0.dictionary["k"] = 1 } }
    try stop.wait()
    subscription.cancel()
    #expect(log.events == [0])
    stop.resume()
    try writer.join()
    try commit(2, in: test)
    #expect(log.events == [0, 1])
    #expect(trackedReads(in: test) == 0)
  }

  @Test("Cancelling while the closure runs drops its value") func duringRun() throws {
    // delivery:    runs the closure for k = 1 ─ stops            ─ delivers nothing
    // canceller:                                       cancels
    let test = try TestWorkspace()
    let (reached, mayGoOn) = (Gate("the run"), Gate("the end of the run"))
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { reader -> Int in
      let value = reader.dictionary["k", default: 0]
      if value == 1 {
        reached.open()
        try mayGoOn.wait()
      }
      return value
    }.subscribe { log.append($0) }
    let writer = BackgroundThread { try test.workspace.transactAndWait { $0.dictionary["k"] = 1 } }
    try reached.wait()
    subscription.cancel()
    mayGoOn.open()
    try writer.join()
    try test.settle()
    #expect(log.events == [0])
    #expect(trackedReads(in: test) == 0)
  }

  @Test("Cancelling in a completion handler ends the delivery") func inCompletion() throws {
    let test = try TestWorkspace()
    let isCancelled = Lock(false)
    let log = EventLog<Bool>()
    let subscription = test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { _ in
      log.append(isCancelled.withLock { $0 })
    }
    for number in 0..<100 {
      test.workspace.performChanges([]) { txn in
        txn.dictionary["k"] = number
      } completionHandler: { _ in
        guard number == 10 else { return }
        subscription.cancel()
        isCancelled.withLock { $0 = true }
      }
    }
    try commit(100, in: test)
    #expect(!log.events.isEmpty && !log.events.contains(true))
  }

  @Test("Releasing a subscription ends the delivery, and releases both closures") func released() throws {
    final class Token: Sendable {}
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    weak var reading: Token?
    weak var handling: Token?
    do {
      let (one, two) = (Token(), Token())
      (reading, handling) = (one, two)
      let subscription = test.workspace.observe { reader -> Int in
        withExtendedLifetime(one) { reader.dictionary["k", default: 0] }
      }.subscribe { value in
        withExtendedLifetime(two) { log.append(value) }
      }
      withExtendedLifetime(subscription) {}
    }
    try commit(1, in: test)
    #expect(log.events == [0])
    #expect(reading == nil && handling == nil)
    #expect(trackedReads(in: test) == 0)
  }

  @Test("Cancelling in the change handler, twice, and after shutdown is harmless") func repeatedly() throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    let subscription = Lock<WorkspaceSubscription?>(nil)
    let made = test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { value in
      log.append(value)
      if value == 1 { subscription.withLock { $0 }?.cancel() }
    }
    subscription.withLock { $0 = made }
    for number in 1...3 { try commit(number, in: test) }
    #expect(log.events == [0, 1])
    made.cancel()
    test.workspace.shutdown()
    made.cancel()
    subscription.withLock { $0 = nil }
  }

  // MARK: Shutdown and streams

  @Test("A stream gives the value and its changes, keeps the newest, and ends with the workspace")
  func stream() async throws {
    let test = try TestWorkspace()
    var iterator = test.workspace.observe { $0.dictionary["k", default: 0] }.values().makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    for number in 1...5 { try await test.workspace.transact { $0.dictionary["k"] = number } }
    #expect(try await iterator.next() == 5)
    await test.workspace.shutdown()
    #expect(try await iterator.next() == nil)
  }

  @Test("A stream keeps every value if its buffering policy says so") func unbounded() async throws {
    let test = try TestWorkspace()
    let stream = test.workspace.observe { $0.dictionary["k", default: 0] }.values(bufferingPolicy: .unbounded)
    for number in 1...5 { try await test.workspace.transact { $0.dictionary["k"] = number } }
    await test.workspace.shutdown()
    var values: [Int] = []
    for try await value in stream { values.append(value) }
    #expect(values == [0, 1, 2, 3, 4, 5])
  }

  @Test("A stream throws the error that ends the observation") func failingStream() async throws {
    let test = try TestWorkspace()
    let stream = test.workspace.observe { reader -> Int in
      let value = reader.dictionary["k", default: 0]
      if value == 1 { throw Refusal() }
      return value
    }.values(bufferingPolicy: .unbounded)
    try await test.workspace.transact { $0.dictionary["k"] = 1 }
    var values: [Int] = []
    var failure: (any Error)?
    do { for try await value in stream { values.append(value) } } catch { failure = error }
    #expect(values == [0])
    #expect(failure is Refusal)
  }

  @Test("Ending an iteration ends the observation") func leaving() async throws {
    let test = try TestWorkspace()
    let observation = test.workspace.observe { $0.dictionary["k", default: 0] }
    for try await value in observation.values() where value == 0 { break }
    try test.settle()
    #expect(trackedReads(in: test) == 0)
  }

  @Test("After shutdown nothing is delivered, and streams end at once") func afterShutdown() async throws {
    let test = try TestWorkspace()
    let observation = test.workspace.observe { $0.dictionary["k", default: 0] }
    await test.workspace.shutdown()
    let subscription = observation.subscribe { error in
      Issue.record(error)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    for try await value in observation.values() { Issue.record("The stream gave \(value).") }
    subscription.cancel()
  }

  @Test("A subscription doesn't keep the workspace alive") func lifetime() throws {
    let test = try TestWorkspace()
    let ended = Gate("the end of the observation")
    var subscription: WorkspaceSubscription?
    do {
      let workspace = try TestWorkspace.open(test.path)
      subscription = workspace.observe { $0.dictionary["k", default: 0] }.start { error in
        if error == nil { ended.open() }
      } changeHandler: { _ in
      }
    }
    try ended.wait()
    subscription?.cancel()
  }
}

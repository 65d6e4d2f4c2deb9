import DflatKV
import Dispatch
import TestSupport
import Testing

@Suite struct TargetQueueTests {
  private static let key = DispatchSpecificKey<Bool>()

  private func serialQueue() -> DispatchQueue {
    let queue = DispatchQueue(label: "test.target")
    queue.setSpecific(key: Self.key, value: true)
    return queue
  }

  @Test("An asynchronous transaction's closure runs on the target queue")
  func closuresRunOnIt() async throws {
    let queue = serialQueue()
    let test = try TestWorkspace { $0.targetQueue = queue }
    let isThere = try await test.workspace.transact { txn in
      txn.dictionary["key"] = 1
      return DispatchQueue.getSpecific(key: Self.key) == true
    }
    #expect(isThere)
  }

  @Test("All closures of performChanges run on the target queue")
  func manyClosuresRunOnIt() throws {
    let queue = serialQueue()
    let test = try TestWorkspace { $0.targetQueue = queue }
    let places = EventLog<Bool>()
    for _ in 0..<50 {
      test.workspace.performChanges([]) { txn in
        places.append(DispatchQueue.getSpecific(key: Self.key) == true)
        txn.dictionary["key", default: 0] += 1
      }
    }
    test.workspace.shutdown()
    #expect(places.events == Array(repeating: true, count: 50))
  }

  /// Lets `occupy` put work on the target queue that calls `waitForCaller` and then logs "blocking". Expects that a
  /// transaction of another thread ends before that work, and its successor after it. The write token doesn't pass to a
  /// closure that can't begin.
  ///
  ///     queue:   ├─ blocking: waits for the caller ─┤├─ successor [Book] ─┤
  ///     caller:  ├─ transactAndWait [Book] ─┤ its successor needs the queue: it must not be waited for
  private func expectProgress(
    _ concurrency: SQLiteWorkspace.WriteConcurrency,
    besides occupy: (
      _ workspace: SQLiteWorkspace, _ queue: DispatchQueue, _ waitForCaller: @escaping @Sendable () -> Void,
      _ completed: EventLog<String>
    ) -> Void
  ) throws {
    let queue = serialQueue()
    let test = try TestWorkspace {
      $0.commitLate()
      $0.targetQueue = queue
      $0.writeConcurrency = concurrency
    }
    let workspace = test.workspace
    let isBusy = Gate("the queue is busy")
    let callerIsDone = Gate("the caller is done")
    let completed = EventLog<String>()
    let callerRuns = Gate("the caller runs")
    let allAreQueued = Gate("all are queued")
    let caller = BackgroundThread("caller") {
      try workspace.transactAndWait([Book.self]) { txn in
        txn.dictionary["caller"] = 1
        callerRuns.open()
        try allAreQueued.wait()
      }
    }
    try callerRuns.wait()
    let waitForCaller: @Sendable () -> Void = {
      isBusy.open()
      #expect(throws: Never.self) { try callerIsDone.wait() }
    }
    occupy(workspace, queue, waitForCaller, completed)
    workspace.performChanges([Book.self]) { txn in
      #expect(txn.dictionary["caller", Int.self] == 1)
      txn.dictionary["successor"] = 1
    } completionHandler: { _ in
      completed.append("successor")
    }
    try isBusy.wait()
    allAreQueued.open()
    try caller.join()
    callerIsDone.open()
    #expect(try completed.wait(forCount: 2).sorted() == ["blocking", "successor"])
    #expect(try test.stored("successor") == 1)
  }

  @Test("A serial target queue that runs a closure doesn't block transactions on other threads")
  func aQueueBusyWithAClosure() throws {
    try expectProgress(.concurrent) { workspace, _, waitForCaller, completed in
      workspace.performChanges([Author.self]) { txn in
        waitForCaller()
        txn.dictionary["blocking"] = 1
      } completionHandler: { _ in
        completed.append("blocking")
      }
    }
  }

  @Test("A target queue that runs other work doesn't block serial transactions on other threads")
  func aQueueBusyWithOtherWork() throws {
    try expectProgress(.serial) { _, queue, waitForCaller, completed in
      queue.async {
        waitForCaller()
        completed.append("blocking")
      }
    }
  }

  /// The hazard: the blocked thread passes the write token to `successor`, which waits for the queue, where `neighbour`
  /// waits for the token.
  ///
  ///     queue:   ├─ first [Book] ─┤├─ neighbour [Author]: touches ─┤├─ successor [Book] ─┤
  ///     thread:        └ synchronize(): waits ── flushes ─┤ passes the token on
  @Test("The write token does not pass to a closure that waits for the target queue")
  func onlyARunningClosureGetsTheToken() throws {
    let test = try TestWorkspace {
      $0.commitLate()
      $0.targetQueue = serialQueue()
    }
    let workspace = test.workspace
    let isHeld = Gate("the write token is held")
    let mayEnd = Gate("the thread waits for the write token")
    let completed = EventLog<String>()
    func queue(_ name: String, _ type: Any.Type, _ body: @escaping @Sendable () -> Void = {}) {
      workspace.performChanges([type]) { txn in
        txn.dictionary[name] = 1
        body()
      } completionHandler: { _ in
        completed.append(name)
      }
    }
    queue("first", Book.self) {
      isHeld.open()
      #expect(throws: Never.self) { try mayEnd.wait() }
    }
    queue("neighbour", Author.self)
    queue("successor", Book.self)
    try isHeld.wait()
    let thread = BackgroundThread("thread") {
      workspace.dictionary["plain"] = 1
      try workspace.dictionary.synchronize()
    }
    test.waitForWriteTokenWaiter()
    mayEnd.open()
    try thread.join()
    #expect(try completed.wait(forCount: 3).sorted() == ["first", "neighbour", "successor"])
    #expect(workspace.dictionary.keys == ["first", "neighbour", "plain", "successor"])
  }

  @Test("Plain writes are committed while the target queue is busy")
  func plainWritesDontNeedIt() throws {
    let queue = serialQueue()
    let test = try TestWorkspace { $0.targetQueue = queue }
    let isBusy = Gate("the queue is busy")
    let isFlushed = Gate("the write is in the file")
    test.workspace.performChanges([]) { txn in
      isBusy.open()
      #expect(throws: Never.self) { try isFlushed.wait() }
      txn.dictionary["late"] = 1
    } completionHandler: { _ in
    }
    test.workspace.dictionary["plain"] = 1
    // Does what `flush()` does, but without Swift's executor, whose threads other tests may occupy.
    let isEnded = Gate("the flush has ended")
    test.workspace.core.pipeline.flushLater(completion: .waking { _ in isEnded.open() })
    try isEnded.wait()
    #expect(try test.stored("plain") == 1)
    isFlushed.open()
    test.workspace.shutdown()
  }

  @Test("A11: Shutdown on a target queue returns, even if two workspaces share the queue")
  func shutdownOnTheQueue() throws {
    let queue = serialQueue()
    let first = try TestWorkspace { $0.targetQueue = queue }
    let second = try TestWorkspace { $0.targetQueue = queue }
    let done = EventLog<String>()
    for (name, test) in [("first", first), ("second", second)] {
      test.workspace.performChanges([]) { txn in txn.dictionary["key"] = 1 }
      queue.async { [workspace = test.workspace] in
        workspace.shutdown()
        done.append(name)
      }
    }
    try done.wait(forCount: 2)
    for test in [first, second] {
      test.workspace.shutdown()
      #expect(try test.stored("key") == 1)
    }
  }
}

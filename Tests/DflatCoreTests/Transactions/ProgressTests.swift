import DflatKV
import TestSupport
import Testing

@testable import DflatCore

/// Waits for a workspace in its deinitializer.
private final class Farewell: Sendable {
  private let workspace: SQLiteWorkspace

  init(_ workspace: SQLiteWorkspace) { self.workspace = workspace }

  deinit {
    workspace.dictionary["farewell"] = true
    try? workspace.dictionary.synchronize()
  }
}

/// Runs a transaction in its deinitializer.
private final class Saver: Sendable {
  let number = 1
  private let workspace: SQLiteWorkspace

  init(_ workspace: SQLiteWorkspace) { self.workspace = workspace }

  deinit { _ = try? workspace.dictionary.update("saves", default: 0) { $0 += 1 } }
}

/// A workspace makes progress with any number of waiters: waiting work occupies no thread that other work needs.
@Suite struct ProgressTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  @Test("Thousands of flushes finish beside transactions")
  func flushes() async throws {
    let workspace = workspace
    let (flushes, transactions) = (5_000, 25)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<flushes {
        group.addTask {
          workspace.dictionary["key\(index)"] = index
          try await workspace.dictionary.flush()
        }
      }
      for _ in 0..<transactions {
        group.addTask { try await workspace.transact { $0.dictionary["sum", default: 0] += 1 } }
      }
      try await group.waitForAll()
    }
    #expect(workspace.dictionary.count == flushes + 1)
    #expect(try test.stored("sum") == transactions)
  }

  @Test("Queued transactions in hundreds of lanes finish beside threads that wait")
  func lanes() throws {
    let types = ManyTypes.make(600)
    let (queuedRounds, threadCount, threadRounds) = (3, 8, 20)
    let ended = EventLog<Bool>()
    let threads = (0..<threadCount).map { thread in
      BackgroundThread("thread \(thread)") { [workspace] in
        for round in 0..<threadRounds {
          try workspace.transactAndWait([types[(thread * 71 + round) % types.count]]) { txn in
            txn.dictionary["sum", default: 0] += 1
          }
        }
      }
    }
    for _ in 0..<queuedRounds {
      for type in types {
        workspace.performChanges([type]) { txn in
          txn.dictionary["sum", default: 0] += 1
        } completionHandler: {
          ended.append($0)
        }
      }
    }
    for thread in threads { try thread.join() }
    #expect(try ended.wait(forCount: queuedRounds * types.count).allSatisfy { $0 })
    #expect(try test.stored("sum") == queuedRounds * types.count + threadCount * threadRounds)
  }

  //  first    runs ─ ends, passes the token on ─ is destroyed on this thread: a captured object waits for the token
  //  second                                                                   has the token, and begins on this thread
  @Test("A11: A closure whose deinitialization waits doesn't block other transactions")
  func waitingDeinit() throws {
    let ended = EventLog<Bool>()
    let (isHeld, mayEnd) = (Gate("the first closure runs"), Gate("the others are queued"))
    for number in 0..<20 {
      let farewell = Farewell(workspace)
      workspace.performChanges([]) { txn in
        txn.dictionary["\(number)"] = number
        if number == 0 {
          isHeld.open()
          #expect(throws: Never.self) { try mayEnd.wait() }
        }
        withExtendedLifetime(farewell) {}
      } completionHandler: {
        ended.append($0)
      }
    }
    try isHeld.wait()
    mayEnd.open()
    #expect(try ended.wait(forCount: 20).allSatisfy { $0 })
  }

  @Test("A captured value may run an observed transaction when it is destroyed, while more closures are ready (A11)")
  func observedDeinit() throws {
    let subscription = workspace.dictionary.subscribe("saves") { _ in }
    let types = ManyTypes.make(4 * WorkerPool.limit)
    let ended = EventLog<Bool>()
    let mayEnd = Gate("all are queued")
    for type in types {
      let saver = Saver(workspace)
      workspace.performChanges([type]) { txn in
        try? mayEnd.wait()
        txn.dictionary["last"] = saver.number
      } completionHandler: {
        ended.append($0)
      }
    }
    mayEnd.open()
    #expect(try ended.wait(forCount: types.count).allSatisfy { $0 })
    subscription.cancel()
  }

  @Test("All closures that wait for each other begin, even beyond the limit of workers")
  func closuresThatMeet() throws {
    let types = ManyTypes.make(WorkerPool.limit + 5)
    let barrier = Barrier(parties: types.count)
    let ended = EventLog<Bool>()
    for type in types {
      workspace.performChanges([type]) { txn in
        #expect(throws: Never.self) { try barrier.arriveAndWait() }
        txn.dictionary["sum", default: 0] += 1
      } completionHandler: {
        ended.append($0)
      }
    }
    #expect(try ended.wait(forCount: types.count).allSatisfy { $0 })
    #expect(workspace.dictionary["sum"] == types.count)
  }

  //  caller    has the token ─── waits for the last closure ───────────────┐ ends
  //  workers   as many closures as begin side by side: wait for the token  │
  //  another                                          begins all the same ─┘
  @Test("The holder of the write token may wait for a closure behind waiters for the token")
  func theHolderWaits() throws {
    let types = ManyTypes.make(WorkerPool.limit + 2)
    let isHeld = Gate("the write token is held")
    let hasBegun = Gate("the last closure has begun")
    let holder = BackgroundThread("holder") { [workspace] in
      try workspace.transactAndWait([types[0]]) { txn in
        txn.dictionary["holder"] = 1
        isHeld.open()
        try hasBegun.wait()
      }
    }
    try isHeld.wait()
    let began = EventLog<Void>()
    let ended = EventLog<Bool>()
    for type in types[1...WorkerPool.limit] {
      workspace.performChanges([type]) { txn in
        began.append(())
        txn.dictionary["sum", default: 0] += 1
      } completionHandler: {
        ended.append($0)
      }
    }
    try began.wait(forCount: WorkerPool.limit)
    workspace.performChanges([types[WorkerPool.limit + 1]]) { _ in hasBegun.open() }
    try holder.join()
    #expect(try ended.wait(forCount: WorkerPool.limit).allSatisfy { $0 })
  }

  @Test("A7: A flush that begins during another one commits all earlier writes")
  func flushesThatComeLate() async throws {
    for index in 0..<200 {
      workspace.dictionary["key"] = index
      async let other: Void = workspace.dictionary.flush()
      workspace.dictionary["key"] = index + 1
      try await workspace.dictionary.flush()
      let stored = try workspace.fetchWithinASnapshot { try workspace.dictionary.value(forKey: "key", as: Int.self) }
      #expect(stored == index + 1)
      try await other
    }
  }
}

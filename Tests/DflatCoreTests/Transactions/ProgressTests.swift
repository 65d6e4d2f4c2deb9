import DflatKV
import TestSupport
import Testing

@testable import DflatCore

/// Waits for a workspace when it is destroyed.
private final class Farewell: Sendable {
  private let workspace: SQLiteWorkspace

  init(_ workspace: SQLiteWorkspace) { self.workspace = workspace }

  deinit {
    workspace.dictionary["farewell"] = true
    try? workspace.dictionary.synchronize()
  }
}

/// However many wait for a workspace, somebody goes on: what waits occupies no thread that another one needs.
@Suite struct ProgressTests {
  private let bench: Bench
  private var workspace: SQLiteWorkspace { bench.workspace }

  init() throws { bench = try Bench() }

  @Test("thousands of flushes beside transactions end")
  func flushes() async throws {
    let workspace = workspace
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<5_000 {
        group.addTask {
          workspace.dictionary["key\(index)"] = index
          try await workspace.dictionary.flush()
        }
      }
      for _ in 0..<25 {
        group.addTask { try await workspace.transact { $0.dictionary["sum", default: 0] += 1 } }
      }
      try await group.waitForAll()
    }
    #expect(workspace.dictionary.count == 5_001)
    #expect(try bench.stored("sum") == 25)
  }

  @Test("hundreds of lanes with queued transactions end beside threads that wait")
  func lanes() throws {
    let types = ManyTypes.make(600)
    let ended = EventLog<Bool>()
    let threads = (0..<8).map { thread in
      BackgroundThread("thread \(thread)") { [workspace] in
        for round in 0..<20 {
          try workspace.transactAndWait([types[(thread * 71 + round) % types.count]]) { txn in
            txn.dictionary["sum", default: 0] += 1
          }
        }
      }
    }
    for _ in 0..<3 {
      for type in types {
        workspace.performChanges([type]) { txn in
          txn.dictionary["sum", default: 0] += 1
        } completionHandler: {
          ended.append($0)
        }
      }
    }
    for thread in threads { try thread.join() }
    #expect(try ended.wait(forCount: 1_800).allSatisfy { $0 })
    #expect(try bench.stored("sum") == 1_800 + 160)
  }

  //  first    runs ─ ends, hands the write token on ─ is destroyed on this thread: what it captured waits for the write token
  //  second                                                                  has the write token, and begins on this thread
  @Test("A11: a closure that waits when it is destroyed holds up nobody")
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

  @Test("closures that wait for one another all begin, however many they are")
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

  //  caller    has the write token ─── waits for the last closure ───────────────┐ ends
  //  workers   as many closures as begin side by side: wait for the write token  │
  //  another                                          begins all the same ─┘
  @Test("the write token's holder may wait for a closure that comes behind those who wait for the write token")
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

  @Test("A7: who asks for a flush while one runs gets another one")
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

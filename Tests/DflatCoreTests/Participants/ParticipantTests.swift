import DflatCore
import DflatKV
import Foundation
import TestSupport
import Testing

/// The calls that a participant gets, and their order.
@Suite struct ParticipantTests {
  private let test: TestWorkspace
  private let ledger: Ledger
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    ledger = try Ledger(test.workspace)
  }

  @Test("A2: A group is applied, recorded, committed, published and delivered, in this order")
  func commit() throws {
    ledger.onPublish.withLock { [ledger] in
      $0 = { ledger.calls.append("in the file: \((try? ledger.stored()) ?? [])") }
    }
    ledger.plain.withLock { $0 = [1, 2] }
    try workspace.transactAndWait { txn in
      try Ledger.add(3, to: txn)
      try Ledger.add(4, to: txn)
      ledger.calls.append("closure ends")
    }
    ledger.calls.append("completed")
    #expect(
      ledger.calls.events == [
        "drain [1, 2]", "closure ends", "apply [3, 4]", "adopt [3, 4]", "record [1, 2, 3, 4]",
        "publish [1, 2, 3, 4] at 1",
        "in the file: [1, 2, 3, 4]", "deliver 1", "deliver 2", "deliver 3", "deliver 4", "completed",
      ])
  }

  /// Expects that a change of a transaction that ends with `end` reaches nothing.
  private func expectNoTrace(_ end: (TransactionContext) throws -> Void) throws {
    #expect(throws: (any Error).self) {
      try workspace.transactAndWait { txn in
        try Ledger.add(3, to: txn)
        try end(txn)
      }
    }
    #expect(ledger.calls.events == ["conclude"])
    #expect(try ledger.stored() == [])
    #expect(workspace.commitNumber == 0)
  }

  @Test("A2: No change of an aborted transaction is applied, recorded or published")
  func abort() throws { try expectNoTrace { $0.abort() } }

  @Test("A2: No change of a transaction that throws is applied, recorded or published")
  func thrownError() throws { try expectNoTrace { _ in throw Refusal() } }

  @Test("A1: A transaction whose change can't be applied fails alone, and plain writes commit")
  func applyFails() throws {
    ledger.plain.withLock { $0 = [1] }
    ledger.failures.withLock { $0["apply"] = Refusal() }
    let error = #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait { txn in
        txn.dictionary["key"] = 1
        try Ledger.add(3, to: txn)
      }
    }
    #expect(error?.underlying as? Refusal == Refusal())
    #expect(ledger.calls.events == ["drain [1]", "apply [3]", "record [1]", "publish [1] at 1", "deliver 1"])
    #expect(try ledger.stored() == [1])
    #expect(workspace.dictionary["key", Int.self] == nil)
    #expect(try test.stored("key") == nil)
  }

  @Test("A7: Plain writes that can't be applied fail their group, and every member gets the error")
  func drainFails() throws {
    ledger.plain.withLock { $0 = [1] }
    ledger.failures.withLock { $0["drain"] = Refusal() }
    workspace.dictionary["plain"] = 1
    #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait { txn in try Ledger.add(3, to: txn) }
    }
    #expect(ledger.calls.events.contains("discard [1]: sqlite"))
    #expect(try ledger.stored() == [])
    // The dictionary's write failed with the group, still waits, or has been flushed since. It is reported or
    // committed, and never silently lost.
    let told = Result { try workspace.dictionary.synchronize() }
    switch told {
    case .success: #expect(try test.stored("plain") == 1)
    case .failure: #expect(workspace.dictionary["plain", Int.self] == nil)
    }
  }

  @Test("A9: Another workspace's participant gets the records in commit order")
  func external() throws {
    let other = try TestWorkspace.open(test.path)
    let others = try Ledger(other)
    try workspace.transactAndWait { txn in try Ledger.add(5, to: txn) }
    try workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    try workspace.transactAndWait { txn in try Ledger.add(6, to: txn) }
    let calls = try others.calls.wait { $0.contains("deliver 6") }
    #expect(
      calls.filter { !$0.hasPrefix("deliver") }
        == ["foreign [5] at 1", "foreign [] at 2", "foreign [6] at 3"])
    #expect(calls.filter { $0.hasPrefix("deliver") } == ["deliver 5", "deliver 6"])
  }

  @Test("A2: A failed COMMIT resets the participant, discards the group and publishes nothing")
  func commitFails() throws {
    let directory = try TemporaryDirectory("commit")
    let failing = try TestWorkspace.open(directory.file()) {
      $0.vfs = FaultPlan.vfsName
      $0.synchronous = .full
    }
    let ledger = try Ledger(failing)
    try failing.transactAndWait { txn in try Ledger.add(1, to: txn) }
    let plan = try FaultPlan(.sync, on: .any, in: directory.path, fail: .once(1), with: .ioErrorSync)
    let error = #expect(throws: WorkspaceError.self) {
      try failing.transactAndWait { txn in try Ledger.add(2, to: txn) }
    }
    plan.cancel()
    #expect(error?.code == .inputOutput)
    let calls = ledger.calls.events
    #expect(calls.suffix(5) == ["apply [2]", "adopt [2]", "record [2]", "reset to 1", "discard [2]: inputOutput"])
    #expect(try ledger.stored() == [1])
    try failing.transactAndWait { txn in try Ledger.add(3, to: txn) }
    #expect(try ledger.stored() == [1, 3])
    failing.shutdown()
  }

  @Test("Shutdown stops a participant, commits its pending writes and ends it")
  func shutdown() throws {
    ledger.plain.withLock { $0 = [7] }
    workspace.shutdown()
    #expect(ledger.calls.events == ["stop", "drain [7]", "record [7]", "publish [7] at 1", "deliver 7", "end"])
    #expect(try ledger.stored() == [7])
  }

  /// A store that could be found before it takes part would lose the writes that are made through it.
  ///
  ///     first user:   makes a store ─ stops                                      ─ finds the second user's store, writes
  ///     second user:                   finds none, makes one that takes part, writes
  @Test("A7: The dictionary's store takes part before any thread can find it")
  func theStoreTakesPartFirst() throws {
    let core = workspace.core
    let made = Gate("the first user makes a store")
    let mayContinue = Gate("the second user has written")
    Failpoint.storeBeforeTakingPart.arm(in: core) {
      // Only the first user stops.
      if made.opened { return }
      made.open()
      try? mayContinue.wait()
    }
    defer { Failpoint.storeBeforeTakingPart.arm(in: core, nil) }
    let first = BackgroundThread("first user") { [workspace] in
      workspace.dictionary["first"] = 1
      try workspace.dictionary.synchronize()
    }
    try made.wait()
    #expect(core.participants[1] == nil)
    let second = BackgroundThread("second user") { [workspace] in
      workspace.dictionary["second"] = 2
      try workspace.dictionary.synchronize()
    }
    try second.join()
    #expect(try test.stored("second") == 2)
    mayContinue.open()
    try first.join()
    #expect(try test.stored("first") == 1)
    #expect(workspace.dictionary["second", Int.self] == 2)
  }
}

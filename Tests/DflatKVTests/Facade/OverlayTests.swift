import DflatCore
import Foundation
import TestSupport
import Testing

@testable import DflatKV

/// A5: Plain reads see plain writes at once; all other readers see them after their commit.
@Suite struct OverlayTests {
  @Test("A5: A waiting plain write is visible to plain reads on any thread and to nothing else")
  func whoSeesIt() throws {
    // transaction:  begins ─ stops                        ─ reads k ─ ends
    // plain:                        k = 2 waits
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let (log, all, inTransaction) = (EventLog<SubscribedDictionaryValue<Int>>(), EventLog<String>(), EventLog<Int?>())
    let first = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    let second = test.dictionary.subscribe(withPrefix: "") { all.append($0.key) }
    let writeToken = try HeldWriteToken(test) { inTransaction.append($0.dictionary["k"]) }
    test.dictionary["k"] = 2
    test.dictionary["new"] = 2
    #expect(test.dictionary["k"] == 2)
    #expect(try BackgroundThread { test.dictionary["k", Int.self] }.join() == 2)
    test.workspace.fetchWithinASnapshot {
      #expect(test.dictionary["k"] == 1)
      #expect(!test.dictionary.contains("new"))
      #expect(test.dictionary.keys == ["k"])
    }
    let late = test.dictionary.subscribe("k", of: Int.self) { #expect($0 == .initial(1) || $0 == .updated(2)) }
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 1)
    try test.settle()
    #expect(log.events == [.initial(1)])
    #expect(all.events == [])
    try writeToken.end()
    #expect(inTransaction.events == [1])
    try test.dictionary.synchronize()
    try test.settle()
    #expect(log.events == [.initial(1), .updated(2)])
    #expect(Set(all.events) == ["k", "new"])
    withExtendedLifetime((first, second, late)) {}
  }

  @Test("A5: A transaction sees the plain writes made before its call") func transactionAfter() throws {
    let test = try TestWorkspace()
    for number in 0..<100 {
      test.dictionary["k"] = number
      test.dictionary.removeValue(forKey: "gone\(number)")
      try test.workspace.transactAndWait { transaction in
        #expect(transaction.dictionary["k"] == number)
        #expect(!transaction.dictionary.contains("gone\(number)"))
        transaction.dictionary["gone\(number + 1)"] = 1
      }
    }
  }

  @Test("A5: A queued transaction sees a plain write made before its call") func queuedTransaction() throws {
    let test = try TestWorkspace()
    let writeToken = try HeldWriteToken(test)
    test.dictionary["k"] = 7
    let seen = EventLog<Int?>()
    test.workspace.performChanges([]) { seen.append($0.dictionary["k"]) }
    try writeToken.end()
    #expect(try seen.wait(forCount: 1) == [7])
  }

  @Test("A4: Plain writes to one key that wait together reach observers as one update") func lastOfWaiting() throws {
    let test = try TestWorkspace()
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    let writeToken = try HeldWriteToken(test)
    for number in 1...100 { test.dictionary["k"] = number }
    try writeToken.end()
    try test.dictionary.synchronize()
    try test.settle()
    #expect(log.events == [.initial(nil), .updated(100)])
    subscription.cancel()
  }

  @Test("A plain write that is set back while it waits commits nothing") func setBack() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let number = test.workspace.commitNumber
    let writeToken = try HeldWriteToken(test)
    test.dictionary["k"] = 2
    test.dictionary["k"] = 1
    test.dictionary["never"] = 1
    test.dictionary["never"] = nil
    try writeToken.end()
    try test.dictionary.synchronize()
    #expect(test.workspace.commitNumber == number)
    // No leftover entry hides another workspace's commit.
    let other = try test.another()
    other.dictionary["k"] = 5
    other.dictionary["never"] = 5
    try other.dictionary.synchronize()
    try test.core.checkForCommits()
    #expect(test.dictionary["k"] == 5)
    #expect(test.dictionary["never"] == 5)
  }

  @Test("A7: A plain write that can't be committed is reported, and reads show the file again") func failed() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let readOnly = try test.another { $0.isReadOnly = true }
    readOnly.dictionary["k"] = 2
    readOnly.dictionary.removeAll(withPrefix: "x")
    #expect(readOnly.dictionary["k"] == 2)
    let error = #expect(throws: WorkspaceError.self) { try readOnly.dictionary.synchronize() }
    #expect(error?.code == .readOnly)
    #expect(readOnly.dictionary["k"] == 1)
    #expect(try readOnly.errors.wait(forCount: 1).first?.code == .readOnly)
    try readOnly.dictionary.synchronize()
  }

  @Test("A2, A7: After a plain write that fails alone, reads see the committed value, not that of its group")
  func failedInAGroup() throws {
    // first:   begins ──────────────────── k = 5 ─ ends
    // plain:                      k = bad waits   ┊
    // second:          waits                      └─ the write fails ─ stops ─ ends ─ COMMIT
    // reader:                                                           reads k
    let test = try TestWorkspace {
      $0.commitLate()
      $0.followsOtherProcesses = false
    }
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let (began, mayEnd) = (Gate("the second transaction"), Gate("the read"))
    defer { mayEnd.open() }
    let held = try HeldWriteToken(test) { $0.dictionary["k"] = 5 }
    // Of another type, or it would begin after the first one's commit.
    let second = BackgroundThread {
      try test.workspace.transactAndWait([Int.self]) { transaction in
        #expect(transaction.dictionary["k"] == 5)
        began.open()
        try mayEnd.wait()
      }
    }
    test.waitForWriteTokenWaiter()
    test.dictionary["k"] = Nested.tooDeep
    let first = BackgroundThread { try held.end() }
    try began.wait()
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.unencodable])
    #expect(test.dictionary["k"] == 1)
    mayEnd.open()
    try first.join()
    try second.join()
    #expect(test.dictionary["k"] == 5)
    #expect(test.workspace.commitNumber == 2)
  }

  @Test("A7: A plain write after shutdown is refused and reported") func afterShutdown() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    test.workspace.shutdown()
    test.dictionary["k"] = 2
    test.dictionary.removeAll()
    let error = #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
    #expect(error?.code == .shutdown)
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 1)
  }

  @Test("A call of flush() returns after the writes before it are in the file") func flush() async throws {
    let test = try TestWorkspace()
    for number in 0..<20 {
      test.dictionary["k"] = number
      try await test.dictionary.flush()
      let fresh = try test.another()
      #expect(fresh.dictionary["k"] == number)
    }
    try await test.dictionary.flush()
  }

  @Test("A call of synchronize() in a transaction's closure throws .wouldDeadlock") func waitingInside() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary["k"] = 1
      let error = #expect(throws: WorkspaceError.self) { try transaction.dictionary.synchronize() }
      #expect(error?.code == .wouldDeadlock)
    }
    #expect(test.dictionary["k"] == 1)
  }

  @Test("A plain write holds no shard's lock while it schedules its commit") func schedulingUnderNoLock() throws {
    // scheduler:  blocked ────────────────────────────────── goes on
    // writer:               k = 1 ─ is about to schedule ──────────────▶
    // reader:                        reads k: a hit ─ done
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    test.dictionary["k"] = 0
    try test.dictionary.synchronize()
    let store = DictionaryStore.of(test.core)
    while store.isFlushScheduled.load(ordering: .acquiring) { sched_yield() }
    let (isBlocked, goesOn) = (Gate("the scheduler is blocked"), Gate("the read"))
    let scheduler = BackgroundThread {
      try TimerQueue.whileBlocked {
        isBlocked.open()
        try goesOn.wait()
      }
    }
    defer { goesOn.open() }
    try isBlocked.wait()
    let writer = BackgroundThread { test.dictionary["k"] = 1 }
    let reader = BackgroundThread { while test.dictionary["k", Int.self] != 1 { sched_yield() } }
    try reader.join()
    goesOn.open()
    try writer.join()
    try scheduler.join()
  }
}

import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// When a process looks for expired values, and removes them.
@Suite(.timeLimit(.minutes(15))) struct ExpiryScheduleTests {
  private let clock = ManualClock()
  private let test: TestWorkspace
  private var dictionary: WorkspaceDictionary { test.dictionary }

  init() throws { test = try TestWorkspace(at: clock) }

  // MARK: Looking

  // SQLite rolls back the whole transaction when a read in it fails.
  @Test("A1: If the look for expired values can't read the file, the transaction fails, and the file has nothing of it")
  func failedLook() throws {
    dictionary.set(1, forKey: "session", expiringAfter: .hour)
    try dictionary.synchronize()
    let fresh = try test.another {
      $0.wallClock = clock.clock
      $0.vfs = FaultPlan.vfsName
      $0.followsOtherProcesses = false
    }
    var plan: FaultPlan?
    #expect(throws: WorkspaceError.self) {
      try fresh.workspace.transactAndWait { transaction in
        for key in ["a", "b"] { transaction.dictionary[key] = 1 }
        plan = try FaultPlan(.read, in: fresh.directory.path, fail: .once(1), with: .ioErrorRead)
      }
    }
    #expect(plan?.faultCount == 1)
    plan?.cancel()
    #expect(try test.rowCount() == 1)
    try fresh.workspace.transactAndWait { $0.dictionary["a"] = 2 }
    #expect(fresh.dictionary.keys == ["a", "session"])
  }

  @Test("An old snapshot isn't the last look for values that expire") func lookInAnOldSnapshot() throws {
    dictionary["k"] = 1
    try dictionary.synchronize()
    let reading = try test.another { $0.wallClock = clock.clock }
    try reading.core.openNow()
    try reading.workspace.fetchWithinASnapshot {
      dictionary.set(1, forKey: "session", expiringAfter: .hour)
      try dictionary.synchronize()
      try BackgroundThread { try reading.core.checkForCommits() }.join()
      #expect(reading.dictionary["k"] == 1)
    }
    func hasLooked() -> Bool { DictionaryStore.of(reading.core).hasFoundExpiring.load(ordering: .relaxed) }
    #expect(!hasLooked())
    #expect(reading.dictionary["session"] == 1)
    #expect(hasLooked())
  }

  // MARK: Instants

  private func nextRemoval(by test: TestWorkspace) -> Int64? { DictionaryStore.of(test.core).expiry.nextRemoval }

  @Test("A process leaves the values of others to them for a while, until it writes one that expires")
  func grace() throws {
    dictionary.set(1, forKey: "a", expiringAfter: .hour)
    try dictionary.synchronize()
    let instant = clock.now + ManualClock.hour
    #expect(nextRemoval(by: test) == instant)
    // One that finds the value in the file, and one that learns of it by its commit.
    let finding = try test.another { $0.wallClock = clock.clock }
    #expect(finding.dictionary["a"] == 1)
    #expect(nextRemoval(by: finding) == instant + 500)
    let following = try TestWorkspace.open(test.directory.file("second.db")) { $0.wallClock = clock.clock }
    defer { following.shutdown() }
    let writing = try TestWorkspace.open(test.directory.file("second.db")) { $0.wallClock = clock.clock }
    defer { writing.shutdown() }
    #expect(following.dictionary["a", Int.self] == nil)
    // The second value is too large for the change log.
    for (size, lifetime) in [(10, 3_600_000), (100_000, 1_800_000)] {
      let text = String(repeating: "x", count: size)
      writing.dictionary.set(text, forKey: "\(size)", expiringAfter: .milliseconds(lifetime))
      try writing.dictionary.synchronize()
      try following.core.checkForCommits()
      let next = DictionaryStore.of(following.core).expiry.nextRemoval
      #expect(next == clock.now + Int64(lifetime) + 500)
    }
    // A process that writes such values itself removes all of them at once.
    finding.dictionary.set(2, forKey: "b", expiringAfter: .hour + .hour)
    try finding.dictionary.synchronize()
    dictionary.set(3, forKey: "c", expiringAfter: .milliseconds(1_800_000))
    try dictionary.synchronize()
    try finding.core.checkForCommits()
    #expect(nextRemoval(by: finding) == clock.now + 1_800_000)
  }

  @Test("After the grace, another process removes what the writer has left")
  func graceEnds() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    test.workspace.shutdown()
    clock.advance(by: ManualClock.hour + 499)
    let reader = try test.another { $0.wallClock = clock.clock }
    let log = EventLog<DictionaryChange.Event>()
    let subscription = reader.dictionary.subscribe(withPrefix: "") { log.append($0.event) }
    defer { subscription.cancel() }
    // The first look schedules the removal. Its timer runs out each millisecond until the clock shows the instant.
    #expect(reader.dictionary["k", Int.self] == nil)
    #expect(nextRemoval(by: reader) == clock.now + 1)
    #expect(try reader.rowCount() == 1)
    clock.advance(by: 1)
    #expect(try log.wait(forCount: 1) == [.expired])
    #expect(try reader.rowCount() == 0)
  }

  @Test("A removal that fails is reported once, and tried again after ten seconds")
  func pauseAfterFailure() throws {
    let test = try TestWorkspace {
      $0.wallClock = clock.clock
      $0.vfs = FaultPlan.vfsName
      $0.followsOtherProcesses = false
    }
    /// Lets a value expire whose removal fails, as removals do that come after it.
    func failRemoval() throws -> FaultPlan {
      test.dictionary.set(1, forKey: "k", expiringAfter: .milliseconds(1))
      try test.dictionary.synchronize()
      let plan = try FaultPlan(.write, on: .wal, in: test.directory.path, fail: .from(1), with: .full)
      clock.advance(by: 1)
      return plan
    }
    var plan = try failRemoval()
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.diskFull])
    // The removal's end reports the error before it schedules the next one.
    while nextRemoval(by: test) == nil { sched_yield() }
    #expect(nextRemoval(by: test) == clock.now + 10_000)
    #expect(throws: WorkspaceError.self) { try test.removeExpired() }
    try test.settle()
    #expect(test.errors.events.count == 1)
    #expect(try test.rowCount() == 1)
    // After one that succeeds, a failure is reported again.
    plan.cancel()
    try test.removeExpired()
    #expect(try test.rowCount() == 0)
    plan = try failRemoval()
    #expect(try test.errors.wait(forCount: 2).map(\.code) == [.diskFull, .diskFull])
    plan.cancel()
  }

  @Test("A first look that fails is repeated after ten seconds") func pauseAfterFailedLook() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    var outcomes: Set<Int64?> = []
    for number in 1...Fault.mostOperations {
      let reader = try test.another {
        $0.vfs = FaultPlan.vfsName
        $0.wallClock = clock.clock
        $0.followsOtherProcesses = false
      }
      let plan = try FaultPlan(.read, in: test.directory.path, fail: .once(number))
      _ = reader.dictionary["x", Int.self]
      let failures = plan.faultCount
      plan.cancel()
      outcomes.insert(nextRemoval(by: reader).map { $0 - clock.now })
      if failures == 0 { break }
    }
    #expect(outcomes.contains(10_000))
    // Some reads fail before the look, and some afterwards.
    #expect(outcomes.isSubset(of: [nil, 10_000, ManualClock.hour + 500]))
  }

  // MARK: Timers

  @Test("The timer removes values of this process, and those that it finds in the file")
  func timer() throws {
    let test = try TestWorkspace()
    let log = EventLog<DictionaryChange.Event>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { log.append($0.event) }
    test.dictionary.set(1, forKey: "a", expiringAfter: .milliseconds(20))
    #expect(try log.wait(forCount: 2) == [.updated, .expired])
    subscription.cancel()
    // A process that ends before the instant leaves the value to the next one.
    let path = test.directory.file("second.db")
    do {
      // In 1970, so that the value has expired by the clock of the next one.
      let first = try TestWorkspace.open(path) { $0.wallClock = ManualClock(at: 1).clock }
      first.dictionary.set(1, forKey: "b", expiringAfter: .hour)
      try first.dictionary.synchronize()
      first.shutdown()
    }
    let second = try TestWorkspace.open(path)
    let found = EventLog<String>()
    let observation = second.dictionary.subscribe(withPrefix: "") { found.append("\($0.event) \($0.key)") }
    #expect(try found.wait(forCount: 1) == ["expired b"])
    observation.cancel()
    second.shutdown()
  }

  @Test("A value that expires before its COMMIT is removed after it")
  func expiredBeforeCommit() throws {
    let log = EventLog<DictionaryChange.Event>()
    let subscription = dictionary.subscribe(withPrefix: "") { log.append($0.event) }
    defer { subscription.cancel() }
    let clock = clock
    Failpoint.beforeCommit.arm(in: test.core) {
      clock.advance(by: ManualClock.hour)
      // A timer for the value's instant would run out before this one.
      let laterTimer = Gate("a later timer")
      TimerQueue.run(after: .milliseconds(100)) { laterTimer.open() }
      try? laterTimer.wait()
    }
    try test.workspace.transactAndWait { $0.dictionary.set(1, forKey: "k", expiringAfter: .milliseconds(1)) }
    Failpoint.beforeCommit.arm(in: test.core, nil)
    #expect(try log.wait(forCount: 2) == [.updated, .expired])
    #expect(try test.rowCount() == 0)
  }

  @Test("A process removes what another one has written since, and leaves", arguments: [10, 100_000])
  func abandoned(size: Int) throws {
    let test = try TestWorkspace()
    let log = EventLog<DictionaryChange.Event>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { log.append($0.event) }
    defer { subscription.cancel() }
    let text = String(repeating: "x", count: size)
    // In 1970, so that only the other clock shows that it has expired.
    let writer = try test.another { $0.wallClock = ManualClock(at: 1).clock }
    writer.dictionary.set(text, forKey: "k", expiringAfter: .hour)
    try writer.dictionary.synchronize()
    #expect(try log.wait(forCount: 2) == [.updated, .expired])
    #expect(writer.dictionary.keys == [])
  }

  @Test("A process removes what it didn't find at first because a read failed") func failedFirstLook() throws {
    for number in 1...Fault.mostOperations {
      // In 1970, so that only the other clock shows that the value has expired.
      let writer = try TestWorkspace { $0.wallClock = ManualClock(at: 1).clock }
      writer.dictionary.set(1, forKey: "k", expiringAfter: .hour)
      try writer.dictionary.synchronize()
      let log = EventLog<DictionaryChange.Event>()
      let subscription = writer.dictionary.subscribe(withPrefix: "") { log.append($0.event) }
      defer { subscription.cancel() }
      // An hour passes between two looks at this clock, so that no timer waits.
      let clock = ManualClock()
      let reader = try writer.another {
        $0.vfs = FaultPlan.vfsName
        $0.wallClock = WallClock {
          clock.advance(by: ManualClock.hour)
          return clock.now
        }
      }
      let plan = try FaultPlan(.read, in: writer.directory.path, fail: .once(number))
      #expect(reader.dictionary["x", Int.self] == nil)
      let failures = plan.faultCount
      plan.cancel()
      // If the first read failed before it looked for such values, this one does.
      #expect(reader.dictionary["y", Int.self] == nil)
      #expect(try log.wait(forCount: 1) == [.expired], "operation \(number): \(reader.errors.events)")
      if failures == 0 { return }
    }
    Issue.record("Run \(Fault.mostOperations) still failed an operation")
  }

  @Test("An earlier instant overtakes a later one")
  func earlierInstant() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { if $0.event == .expired { log.append($0.key) } }
    defer { subscription.cancel() }
    test.dictionary.set(1, forKey: "late", expiringAfter: .hour)
    try test.dictionary.synchronize()
    test.dictionary.set(1, forKey: "early", expiringAfter: .milliseconds(20))
    #expect(try log.wait(forCount: 1) == ["early"])
    #expect(test.dictionary.keys == ["late"])
  }

  @Test("A timer from before the clock was set forward isn't taken for one that runs out early enough")
  func clockSetForward() throws {
    let expiry = DictionaryStore.of(test.core).expiry
    dictionary.set(1, forKey: "late", expiringAfter: .hour)
    try dictionary.synchronize()
    let timers = expiry.timerCount
    // By this clock, the old timer runs out when the next value expires. In fact it runs out half a minute later.
    clock.advance(by: ExpirySchedule.longestWait / 2)
    dictionary.set(2, forKey: "early", expiringAfter: .milliseconds(ExpirySchedule.longestWait / 2))
    try dictionary.synchronize()
    #expect(expiry.timerCount == timers + 1)
  }

  @Test("A lifetime without end, and a workspace that only reads, schedule no removal")
  func endless() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .seconds(Int64.max))
    dictionary.set(1, forKey: "l", expiringAt: .distantFuture)
    try dictionary.synchronize()
    let reader = try test.another { $0.isReadOnly = true }
    #expect(reader.dictionary.keys == ["k", "l"])
    clock.advance(by: ManualClock.hour * 24 * 365)
    try test.removeExpired()
    #expect(dictionary.keys == ["k", "l"])
  }

  @Test("A timer doesn't keep a workspace in memory")
  func released() throws {
    let path = test.directory.file("released.db")
    weak var store: DictionaryStore?
    do {
      let workspace = try TestWorkspace.open(path)
      workspace.dictionary.set(1, forKey: "k", expiringAfter: .hour)
      try workspace.dictionary.synchronize()
      store = DictionaryStore.of(workspace.core)
      let closed = Gate("the end of the workspace")
      workspace.shutdown { closed.open() }
      try closed.wait()
    }
    while store != nil { sched_yield() }
  }
}

import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Observers of keys whose values can't be read when they begin, and later can.
@Suite(.timeLimit(.minutes(15))) struct CatchingUpTests {
  typealias Log = EventLog<SubscribedDictionaryValue<Int>>

  private let test: TestWorkspace
  private let lock: FaultPlan

  /// Opens a file with `k`, from which no new connection can read until the plan ends. Nothing is cached.
  init() throws {
    let writer = try TestWorkspace()
    try writer.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    test = try writer.another {
      $0.vfs = FaultPlan.vfsName
      $0.busyTimeout = .milliseconds(10)
      $0.followsOtherProcesses = false
    }
    try test.workspace.transactAndWait { $0.dictionary["other"] = 0 }
    test.core.readers.dropIdle()
    lock = try FaultPlan(.open, on: .main, in: test.directory.path, fail: .from(1), with: .busy)
  }

  private func subscribe(_ key: String) -> (log: Log, subscription: WorkspaceSubscription) {
    let log = Log()
    return (log, test.dictionary.subscribe(key, of: Int.self) { log.append($0) })
  }

  private func commit(_ key: String, _ value: Int?) throws {
    try test.workspace.transactAndWait { $0.dictionary[key, Int.self] = value }
    try test.settle()
  }

  @Test("A4: The observer of a key that can't be read receives the value after the first commit that can read it")
  func passingReason() throws {
    let (log, subscription) = subscribe("k")
    #expect(log.events == [.initial(nil)])
    // The file is still locked. That is not reported again.
    try commit("other", 1)
    #expect(log.events == [.initial(nil)])
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.busy])
    lock.cancel()
    for value in 2...4 { try commit("other", value) }
    #expect(log.events == [.initial(nil), .updated(1)])
    try commit("k", 2)
    #expect(log.events == [.initial(nil), .updated(1), .updated(2)])
    #expect(test.errors.events.count == 1)
    subscription.cancel()
  }

  @Test(
    "A4: An observer that begins when the key can be read again, and one of a key without a value, hear nothing twice")
  func others() throws {
    let (first, firstSubscription) = subscribe("k")
    let (absent, absentSubscription) = subscribe("absent")
    lock.cancel()
    // It caches the value.
    let (second, secondSubscription) = subscribe("k")
    #expect(second.events == [.initial(1)])
    try commit("other", 1)
    #expect(first.events == [.initial(nil), .updated(1)])
    try commit("k", 2)
    #expect(first.events == [.initial(nil), .updated(1), .updated(2)])
    #expect(second.events == [.initial(1), .updated(2)])
    try commit("absent", 3)
    #expect(absent.events == [.initial(nil), .updated(3)])
    for subscription in [firstSubscription, absentSubscription, secondSubscription] { subscription.cancel() }
  }

  @Test("A4: A commit that changes the key is all that its observer receives", arguments: [nil, 2] as [Int?])
  func changed(value: Int?) throws {
    let (log, subscription) = subscribe("k")
    lock.cancel()
    try commit("k", value)
    // It never knew the value that was removed.
    let expected: [SubscribedDictionaryValue<Int>] = value.map { [.initial(nil), .updated($0)] } ?? [.initial(nil)]
    #expect(log.events == expected)
    try commit("k", 3)
    #expect(log.events.last == .updated(3))
    subscription.cancel()
  }

  @Test("A4: The commit of another process has the value delivered, too") func otherProcess() throws {
    let (log, subscription) = subscribe("k")
    lock.cancel()
    let writer = try test.another()
    try writer.workspace.transactAndWait { $0.dictionary["other"] = 5 }
    try test.core.checkForCommits()
    // The first callback enqueues another one.
    for _ in 1...2 { try test.settle() }
    #expect(log.events == [.initial(nil), .updated(1)])
    subscription.cancel()
  }

  @Test("A4: A value that is delivered because the file has to be read again has no older number than the initial one")
  func damagedRecord() throws {
    let log = EventLog<UInt64>()
    let subscription = test.dictionary.subscribe("k") { change in log.append(change.commitNumber) }
    let first = test.workspace.commitNumber
    lock.cancel()
    let writer = try test.another()
    try writer.workspace.transactAndWait { $0.dictionary["other"] = 5 }
    // The record says nothing any more, so the observed keys are compared with the file.
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("UPDATE dflat_log SET changes = x'0101FF' WHERE commit_number = \(first + 1)")
    connection.close()
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [first, first + 1])
    subscription.cancel()
  }
}

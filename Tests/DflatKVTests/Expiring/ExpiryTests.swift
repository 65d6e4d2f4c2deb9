import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV
@testable import DflatSQLite

/// Expired values are removed from the file, and observers receive it.
@Suite(.timeLimit(.minutes(15))) struct ExpiryTests {
  private let clock = ManualClock()
  private let test: TestWorkspace
  private let other: TestWorkspace
  private var dictionary: WorkspaceDictionary { test.dictionary }

  init() throws {
    let clock = clock
    test = try TestWorkspace(at: clock)
    other = try test.another { $0.wallClock = clock.clock }
  }

  private func rows() throws -> Int64 { try integer("SELECT count(*) FROM dictionary") }

  private func integer(_ sql: String) throws -> Int64 { try connection().integer(sql) }

  private func execute(_ sql: String) throws { try connection().execute(sql) }

  private func problems(_ test: TestWorkspace) throws -> [String] {
    try test.core.integrityProblems(in: [DictionaryTables()]).map(\.line)
  }

  private func connection() throws -> Connection {
    try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
  }

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
    #expect(try rows() == 1)
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

  // MARK: Events

  @Test("Observers of keys, ranges, types and streams receive one event, in this process and another")
  func events() async throws {
    var logs: [EventLog<String>] = []
    var subscriptions: [WorkspaceSubscription] = []
    for dictionary in [dictionary, other.dictionary] {
      for kind in 0..<4 {
        let log = EventLog<String>()
        logs.append(log)
        let note: @Sendable (DictionaryChange) -> Void = { change in
          log.append("\(change.event) \(change.value.map { "\($0)" } ?? "-")")
        }
        switch kind {
        case 0: subscriptions.append(dictionary.subscribe("k", changeHandler: note))
        case 1: subscriptions.append(dictionary.subscribe(withPrefix: "", changeHandler: note))
        case 2:
          subscriptions.append(
            dictionary.subscribe("k", of: Int.self) { change in
              switch change {
              case .initial(let value): log.append("initial \(value.map { "int(\($0))" } ?? "-")")
              case .updated(let value): log.append("updated int(\(value))")
              case .deleted: log.append("deleted -")
              case .expired: log.append("expired -")
              }
            })
        case _:
          subscriptions.append(
            dictionary.subscribe(DictionaryKey("k", default: 0)) {
              log.append($0 == 0 ? "default" : "updated int(\($0))")
            })
        }
      }
    }
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    try test.removeExpired()
    dictionary["k"] = 2
    try dictionary.synchronize()
    for (index, log) in logs.enumerated() {
      let expected =
        switch index % 4 {
        case 1: ["updated int(1)", "expired -", "updated int(2)"]
        case 3: ["default", "updated int(1)", "default", "updated int(2)"]
        case _: ["initial -", "updated int(1)", "expired -", "updated int(2)"]
        }
      #expect(try log.wait(forCount: expected.count) == expected, "log \(index)")
    }
    subscriptions.forEach { $0.cancel() }
  }

  @Test("A value that is too large for the change log expires in another process, too", arguments: [10, 600, 100_000])
  func large(size: Int) throws {
    let log = EventLog<DictionaryChange>()
    let subscription = other.dictionary.subscribe("k") { log.append($0) }
    defer { subscription.cancel() }
    let text = String(repeating: "x", count: size)
    dictionary.set(text, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let changes = try log.wait(forCount: 2)
    #expect(changes[1].value == .string(text))
    #expect(changes[1].expirationDate == clock.date.addingTimeInterval(3_600))
    clock.advance(by: ManualClock.hour)
    // The process that has read the file removes the value as well as the one that has written it.
    try other.removeExpired()
    #expect(try log.wait(forCount: 3)[2].event == .expired)
    #expect(try rows() == 0)
    #expect(!dictionary.contains("k"))
  }

  @Test("An initial value has its instant; one that has expired is absent")
  func initial() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let log = EventLog<DictionaryChange>()
    for _ in 0..<2 {
      for dictionary in [dictionary, other.dictionary] { dictionary.subscribe("k") { log.append($0) }.cancel() }
      clock.advance(by: ManualClock.hour)
    }
    #expect(log.events.map(\.value) == [.int(1), .int(1), nil, nil])
    #expect(log.events.map { $0.expirationDate != nil } == [true, true, false, false])
    #expect(log.events.allSatisfy { $0.event == .initial })
  }

  @Test("A closure that has read a key runs again when its value has been removed")
  func observedClosure() throws {
    let log = EventLog<Int?>()
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let observation = test.workspace.observe { $0.dictionary["k", Int.self] }.subscribe { log.append($0) }
    defer { observation.cancel() }
    #expect(try log.wait(forCount: 1) == [1])
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    #expect(try log.wait(forCount: 2) == [1, nil])
  }

  // MARK: Removal

  @Test("A removal takes what has expired, in all namespaces, and nothing else")
  func removal() throws {
    for name in ["", "a", "e\u{301}", "é"] {
      let dictionary = dictionary.namespace(name)
      dictionary.set(1, forKey: "short", expiringAfter: .milliseconds(1))
      dictionary.set(2, forKey: "now", expiringAfter: .hour)
      dictionary.set(3, forKey: "later", expiringAfter: .hour + .milliseconds(1))
      dictionary["never"] = 4
    }
    try dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    #expect(try rows() == 8)
    for name in ["", "a", "e\u{301}", "é"] { #expect(dictionary.namespace(name).keys == ["later", "never"]) }
  }

  @Test("Nothing is committed if nothing has expired")
  func nothing() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let before = test.core.publication.published
    try test.removeExpired()
    try other.removeExpired()
    #expect(test.core.publication.published == before)
    clock.advance(by: ManualClock.hour)
    dictionary["k"] = 2
    try dictionary.synchronize()
    try test.removeExpired()
    #expect(test.core.publication.published == before + 1)
    #expect(dictionary["k"] == 2)
  }

  @Test("More values than one transaction removes are removed by several")
  func many() throws {
    for index in 0..<2_500 { dictionary.set(index, forKey: "k\(index)", expiringAfter: .hour) }
    dictionary["stays"] = 1
    try dictionary.synchronize()
    let log = EventLog<String>()
    let subscription = dictionary.subscribe(withPrefix: "") { if $0.event == .expired { log.append($0.key) } }
    defer { subscription.cancel() }
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    #expect(try Set(log.wait(forCount: 2_500)).count == 2_500)
    #expect(try rows() == 1)
  }

  @Test("A value that is written between its instant and its removal stays")
  func overtaken() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    dictionary.set(1, forKey: "l", expiringAfter: .hour)
    try dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    let held = try HeldWriteToken(test) { $0.dictionary["k"] = 2 }
    let ended = Promise<Result<Void, any Error>>()
    DictionaryStore.of(test.core).removeExpired { ended.fulfill($0) }
    dictionary.set(3, forKey: "l", expiringAfter: .hour)
    try held.end()
    try ended.wait().get()
    #expect(dictionary["k"] == 2)
    #expect(dictionary["l"] == 3)
    #expect(try rows() == 2)
  }

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
    #expect(try rows() == 0)
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

  // MARK: The file

  @Test("The file has a new format and an index with its first value that expires, and is sound")
  func format() throws {
    dictionary["k"] = 1
    try dictionary.synchronize()
    #expect(try integer("PRAGMA user_version") == 1)
    // A transaction that is undone leaves the format as it was.
    try? test.workspace.transactAndWait {
      $0.dictionary.set(1, forKey: "k", expiringAfter: .hour)
      throw CancellationError()
    }
    #expect(try integer("PRAGMA user_version") == 1)
    dictionary.set("v", forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    #expect(try integer("PRAGMA user_version") == 5)
    #expect(try integer("SELECT count(*) FROM sqlite_master WHERE name = 'dflat_expiry'") == 1)
    #expect(try problems(test) == [])
    // Looking for expired values uses the index.
    for sql in [SQL.expiredKeys, .nextExpiration] {
      let plan = try connection().prepare("EXPLAIN QUERY PLAN \(sql.text)").firstRow { $0.string(at: 3) }
      #expect(plan?.contains("dflat_expiry") == true)
    }
    let reopened = try test.another { $0.wallClock = clock.clock }
    #expect(reopened.dictionary["k"] == "v")
  }

  @Test("A missing index is found and created again; without it, everything works")
  func missingIndex() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    try execute("DROP INDEX dflat_expiry")
    let next = try test.another { $0.wallClock = clock.clock }
    #expect(next.dictionary["k"] == 1)
    #expect(try problems(next) == ["The index of values that expire is missing."])
    #expect(
      try next.core.repair([DictionaryTables()], declaring: []) == [
        "Created the index of values that expire, which was missing."
      ])
    #expect(try problems(next) == [])
    clock.advance(by: ManualClock.hour)
    #expect(next.dictionary.keys == [])
    try next.removeExpired()
    #expect(try rows() == 0)
  }

  @Test(
    "An index of another definition is damage",
    arguments: ["ON dictionary (value) WHERE type = 11", "ON dictionary (substr(value, 1, 8))"])
  func otherIndex(definition: String) throws {
    dictionary["k"] = 1
    try dictionary.synchronize()
    try execute("CREATE INDEX dflat_expiry \(definition)")
    #expect { _ = try test.another().dictionary.storedValue(forKey: "k") } throws: {
      ($0 as? WorkspaceError)?.code == .corrupt
    }
  }

  @Test(
    "A damaged value is an error, and doesn't hide the others",
    arguments: [
      "x''", "x'00'", "x'00000fffffffffff'", "x'0000000000000001'", "x'00000fffffffffff'", "x'00000fffffffffff02'",
      "x'ffffffffffffffff01'",
      "x'00000fffffffffff0b00000fffffffffff06'", "x'00000fffffffffff07' || zeroblob(10)", "5", "'text'", "NULL",
    ])
  func damage(value: String) throws {
    dictionary.set("v", forKey: "k", expiringAfter: .hour)
    dictionary["l"] = 1
    try dictionary.synchronize()
    try execute("UPDATE dictionary SET value = \(value) WHERE key = 'k'")
    let next = try test.another { $0.wallClock = clock.clock }
    #expect(next.dictionary["l"] == 1)
    #expect(next.dictionary["k", Int.self] == nil)
    _ = next.dictionary.keys
    let isReadable = (try? next.dictionary.storedValue(forKey: "k")) != nil
    #expect(try problems(next).isEmpty == isReadable)
    // Another value may be written over it.
    next.dictionary["k"] = 6
    try next.dictionary.synchronize()
    #expect(next.dictionary["k"] == 6)
    #expect(try problems(next) == [])
  }
}

import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV
@testable import DflatSQLite

/// Values that expire beside everything else: large removals, damaged files, sealed namespaces, groups and small caches.
@Suite(.timeLimit(.minutes(15))) struct ExpiringTogetherTests {
  private let clock = ManualClock()

  private func connection(_ test: TestWorkspace) throws -> Connection {
    try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
  }

  private func seal(_ number: UInt64, _ namespace: String = "s") -> NamespaceSeal {
    NamespaceSeal(namespace: namespace, by: ToyCipher(number))
  }

  private func secrets(_ test: TestWorkspace, _ number: UInt64) -> WorkspaceDictionary {
    test.dictionary.namespace("s", sealedBy: seal(number))
  }

  // MARK: Events

  @Test("Many keys that expire at one instant are .expired to another process", arguments: [100, 400, 1_000])
  func manyElsewhere(count: Int) throws {
    let test = try TestWorkspace(at: clock)
    let other = try test.another { $0.wallClock = clock.clock }
    for index in 0..<count { test.dictionary.set(index, forKey: "session.\(index)", expiringAfter: .hour) }
    try test.dictionary.synchronize()
    let log = EventLog<String>()
    let subscription = other.dictionary.subscribe(withPrefix: "") { log.append("\($0.event)") }
    defer { subscription.cancel() }
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    let events = try log.wait(forCount: count)
    #expect(events.count { $0 == "expired" } == count)
    #expect(events.count { $0 == "deleted" } == 0)
  }

  @Test("A key that no reader sees is not deleted again", arguments: ["remove", "removeAll", "compareAndSet"])
  func deletedAfterExpiry(how: String) throws {
    let test = try TestWorkspace(at: clock)
    test.dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try test.dictionary.synchronize()
    let log = EventLog<String>()
    let one = test.dictionary.subscribe("k") { log.append("key \($0.event)") }
    let two = test.dictionary.subscribe(withPrefix: "") { log.append("prefix \($0.event)") }
    defer {
      one.cancel()
      two.cancel()
    }
    clock.advance(by: ManualClock.hour)
    #expect(!test.dictionary.contains("k"))
    switch how {
    case "remove": test.dictionary.removeValue(forKey: "k")
    case "removeAll": test.dictionary.removeAll()
    default: #expect(try test.dictionary.compareAndSet("k", expected: nil as Int?, new: nil))
    }
    try test.dictionary.synchronize()
    try test.removeExpired()
    try test.settle()
    #expect(log.events == ["key initial", "key expired", "prefix expired"])
  }

  @Test("With an evicting cache, observers receive each event once")
  func evicting() throws {
    let test = try TestWorkspace {
      $0.wallClock = clock.clock
      $0.cacheLimit = .bytes(2_000)
    }
    let log = EventLog<String>()
    let observed = (0..<20).map { index in
      test.dictionary.subscribe("k\(index * 10)") { log.append("\($0.event) \($0.key)") }
    }
    for index in 0..<200 {
      test.dictionary.set(String(repeating: "x", count: 100), forKey: "k\(index)", expiringAfter: .hour)
    }
    try test.dictionary.synchronize()
    for index in 0..<200 { _ = test.dictionary["k\(index)", String.self] }
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    try test.settle()
    #expect(log.events.count { $0.hasPrefix("expired") } == 20)
    #expect(log.events.count { $0.hasPrefix("deleted") } == 0)
    observed.forEach { $0.cancel() }
  }

  // MARK: Damaged files

  @Test("Rows whose keys are no text are left alone, without a commit", arguments: [10, 1_000])
  func blobKeys(count: Int) throws {
    let test = try TestWorkspace(at: clock)
    test.dictionary.set(1, forKey: "k", expiringAfter: .hour * 1_000)
    try test.dictionary.synchronize()
    try connection(test).execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO dictionary SELECT '', CAST('b' || i AS BLOB), 11, x'0000000000000001020100000000000000', NULL, 1 FROM n
      """)
    let other = try test.another { $0.wallClock = clock.clock }
    _ = other.dictionary.contains("k")
    let before = other.core.publication.published
    try other.removeExpired()
    #expect(other.core.publication.published == before)
  }

  @Test(
    "A damaged row doesn't keep other values from being removed", arguments: ["x'00'", "x'0000'", "x'000000000000'"])
  func maskedByDamage(value: String) throws {
    let test = try TestWorkspace(at: clock)
    test.dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try test.dictionary.synchronize()
    try connection(test).execute("INSERT INTO dictionary VALUES ('', 'damaged', 11, \(value), NULL, 1)")
    // By the clock of this one the value has expired long ago.
    let later = ManualClock(at: clock.now + 2 * ManualClock.hour)
    let next = try test.another { $0.wallClock = later.clock }
    let log = EventLog<String>()
    let subscription = next.dictionary.subscribe(withPrefix: "") { log.append("\($0.event) \($0.key)") }
    defer { subscription.cancel() }
    #expect(try log.wait(forCount: 1) == ["expired k"])
    #expect(try connection(test).integer("SELECT count(*) FROM dictionary WHERE key = 'k'") == 0)
  }

  @Test("Damage of the index alone doesn't keep values that don't expire from being read")
  func damagedIndexPage() throws {
    let test = try TestWorkspace()
    let path = test.directory.file("page.db")
    do {
      let first = try TestWorkspace.open(path)
      first.dictionary.set(1, forKey: "k", expiringAfter: .hour)
      first.dictionary["lasting"] = 2
      try first.dictionary.synchronize()
      first.shutdown(flags: .truncate)
    }
    let root = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30))
      .integer("SELECT rootpage FROM sqlite_master WHERE name = 'dflat_expiry'")
    var bytes = try Data(contentsOf: URL(filePath: path))
    let start = Int(root - 1) * 4_096
    bytes.replaceSubrange(start..<start + 4_096, with: Data(repeating: 0xff, count: 4_096))
    try bytes.write(to: URL(filePath: path))
    let second = try TestWorkspace.open(path) { $0.errorHandler = { _ in } }
    #expect(try second.dictionary.value(forKey: "lasting", as: Int.self) == 2)
    second.shutdown()
  }

  // MARK: Sealed namespaces

  @Test("A value that has expired doesn't refuse another key's write", arguments: ["k", "z"])
  func expiredSealBlocks(key: String) throws {
    let test = try TestWorkspace(at: clock)
    secrets(test, 1).set("old", forKey: "k", expiringAfter: .hour)
    try test.dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    #expect(secrets(test, 2).keys == [])
    #expect(try test.dictionary.namespaces() == [])
    try test.workspace.transactAndWait { $0.dictionary.namespace("s", sealedBy: seal(2))[key] = "new" }
    #expect(secrets(test, 2)[key] == "new")
  }

  @Test("After a rotation, the new key writes")
  func rotation() throws {
    let test = try TestWorkspace(at: clock)
    secrets(test, 1).set("old", forKey: "a", expiringAfter: .hour)
    secrets(test, 1)["b"] = "lasting"
    try test.dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    #expect(try test.dictionary.namespace("s").reseal(from: seal(1), to: seal(2)) == 1)
    #expect(secrets(test, 2)["b"] == "lasting")
    try test.workspace.transactAndWait { $0.dictionary.namespace("s", sealedBy: seal(2))["c"] = "new" }
    #expect(secrets(test, 2)["c"] == "new")
  }

  @Test("A rotation keeps what its transaction has written over an expired value (A1)", arguments: [1, 2] as [UInt64])
  func rotationOverExpired(key: UInt64) throws {
    let test = try TestWorkspace(at: clock)
    secrets(test, 1).set("old", forKey: "a", expiringAfter: .hour)
    try test.dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary.namespace("s", sealedBy: seal(key))["a"] = "new"
      _ = try transaction.dictionary.namespace("s").reseal(from: seal(1), to: seal(2))
    }
    #expect(secrets(test, 2)["a"] == "new")
  }

  @Test("A rotation removes expired values also after a removal of other keys, and observers receive it")
  func rotationAfterRemoval() throws {
    let test = try TestWorkspace(at: clock)
    let other = try test.another { $0.wallClock = clock.clock }
    for key in ["a", "tmp.b"] { secrets(test, 1).set("old", forKey: key, expiringAfter: .hour) }
    test.dictionary.namespace("s")["tmp.c"] = 1
    try test.dictionary.synchronize()
    let logs = [test, other].map { test in
      let log = EventLog<String>()
      return (log, test.dictionary.namespace("s").subscribe(withPrefix: "a") { log.append("\($0.event)") })
    }
    clock.advance(by: ManualClock.hour)
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary.namespace("s").removeAll(withPrefix: "tmp.")
      _ = try transaction.dictionary.namespace("s").reseal(from: seal(1), to: seal(2))
    }
    #expect(try connection(test).integer("SELECT count(*) FROM dictionary") == 0)
    for (log, subscription) in logs {
      #expect(try log.wait(forCount: 1) == ["expired"])
      subscription.cancel()
    }
  }

  @Test("A removal of some keys doesn't let a wrong key in", arguments: [true, false])
  func wrongKeyAfterRemoval(isPlain: Bool) throws {
    let test = try TestWorkspace(at: clock)
    for key in ["a/1", "b/1"] { secrets(test, 1)[key] = "sealed with 1" }
    try test.dictionary.synchronize()
    func write() throws {
      secrets(test, 2).removeAll(withPrefix: "a/")
      secrets(test, 2)["a/2"] = "sealed with 2"
      if isPlain { try test.dictionary.synchronize() }
    }
    #expect(throws: WorkspaceError.self) {
      if isPlain { try write() } else { try test.workspace.transactAndWait { _ in try write() } }
    }
    #expect(try !test.dictionary.namespace("s").keys.contains("a/2"))
    #expect(secrets(test, 1)["b/1"] == "sealed with 1")
  }

  @Test("After a removal of all keys, another key writes") func otherKeyAfterRemovalOfAll() throws {
    let test = try TestWorkspace(at: clock)
    for key in ["a", "b"] { secrets(test, 1)[key] = "sealed with 1" }
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary.namespace("s").removeAll()
      for key in ["a", "c"] { transaction.dictionary.namespace("s", sealedBy: seal(2))[key] = "sealed with 2" }
    }
    #expect(secrets(test, 2).keys == ["a", "c"])
    #expect(secrets(test, 2)["a"] == "sealed with 2")
  }

  @Test("A first value that has expired doesn't let a wrong key in")
  func wrongKeyAdmitted() throws {
    let test = try TestWorkspace(at: clock)
    // Not sealed, and expired.
    test.dictionary.namespace("s").set("old", forKey: "a", expiringAfter: .hour)
    try test.dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    secrets(test, 1)["b"] = "sealed with 1"
    try test.dictionary.synchronize()
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { $0.dictionary.namespace("s", sealedBy: seal(2))["c"] = "new" }
    }
  }

  @Test("Sealing all values leaves no plaintext row")
  func plaintextStays() throws {
    let test = try TestWorkspace(at: clock)
    test.dictionary.namespace("s").set("PLAINTEXT", forKey: "a", expiringAfter: .hour)
    test.dictionary.namespace("s")["b"] = "PLAINTEXT"
    try test.dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    #expect(try test.dictionary.namespace("s").reseal(from: nil, to: seal(1)) == 1)
    #expect(
      try connection(test).integer("SELECT count(*) FROM dictionary WHERE instr(value, CAST('PLAINTEXT' AS BLOB))") == 0
    )
  }

  @Test("An update through a key keeps instant and seal")
  func sealedUpdate() throws {
    let test = try TestWorkspace(at: clock)
    secrets(test, 1).set(1, forKey: "k", expiringAfter: .hour)
    let date = try secrets(test, 1).expirationDate(forKey: "k")
    #expect(try secrets(test, 1).update("k", default: 10) { $0 += 1 } == 2)
    #expect(try secrets(test, 1).expirationDate(forKey: "k") == date)
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { $0.dictionary.namespace("s")["k"] = 5 }
    }
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { $0.dictionary.namespace("s").set(5, forKey: "k", expiringAfter: .hour) }
    }
    #expect(throws: WorkspaceError.self) {
      let other = try test.another { $0.wallClock = clock.clock }
      try other.workspace.transactAndWait { $0.dictionary.namespace("s").set(5, forKey: "k", expiringAfter: .hour) }
    }
    #expect(secrets(test, 1)["k"] == 2)
    clock.advance(by: ManualClock.hour)
    try test.workspace.transactAndWait { $0.dictionary.namespace("s")["k"] = 5 }
    #expect(test.dictionary.namespace("s")["k"] == 5)
  }

  // MARK: Groups

  @Test("A lifetime that isn't positive has expired, in a transaction, too", arguments: [0, -1])
  func notPositive(lifetime: Int) throws {
    let test = try TestWorkspace(at: clock)
    test.dictionary.set(1, forKey: "a", expiringAfter: .hour)
    try test.dictionary.synchronize()
    try test.workspace.transactAndWait { transaction in
      #expect(transaction.dictionary["a"] == 1)
      clock.advance(by: 10)
      transaction.dictionary.set(1, forKey: "k", expiringAfter: .milliseconds(lifetime))
      #expect(!transaction.dictionary.contains("k"))
      #expect(transaction.dictionary.keys == ["a"])
    }
  }

  @Test("Many instants close together don't take a commit each")
  func storm() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { if $0.event == .expired { log.append($0.key) } }
    defer { subscription.cancel() }
    let start = Date().addingTimeInterval(0.5)
    for index in 0..<1_000 {
      test.dictionary.set(index, forKey: "k\(index)", expiringAt: start.addingTimeInterval(Double(index) / 1_000))
    }
    try test.dictionary.synchronize()
    let before = test.core.publication.published
    try log.wait(forCount: 1_000)
    let commits = test.core.publication.published - before
    #expect(commits < 100, "\(commits) commits in a second")
  }

  @Test("A member that is undone after it has created the index doesn't take it from the next")
  func undone() throws {
    let test = try TestWorkspace {
      $0.wallClock = clock.clock
      $0.commitLate()
    }
    secrets(test, 1)["x"] = 1
    try test.dictionary.synchronize()
    try undoneGroup(test.workspace)
    let next = try test.another { $0.wallClock = clock.clock }
    #expect(next.dictionary["plain", Int.self] == 1)
    #expect(next.dictionary["kept", Int.self] == 2)
    #expect(!next.dictionary.contains("undone"))
    #expect(try next.core.integrityProblems(in: [DictionaryTables()]).map(\.line) == [])
    #expect(try connection(test).integer("PRAGMA user_version") == 7)
    clock.advance(by: ManualClock.hour)
    try next.removeExpired()
    #expect(try connection(test).integer("SELECT count(*) FROM dictionary WHERE namespace = ''") == 1)
  }

  private func undoneGroup(_ workspace: SQLiteWorkspace) throws {
    let mayEnd = Gate("end")
    let held = Gate("held")
    let results = EventLog<String>()
    workspace.performChanges(
      [],
      changesHandler: { transaction in
        transaction.dictionary["plain"] = 1
        held.open()
        try? mayEnd.wait()
      }
    ) { results.append("\($0)") }
    try held.wait()
    let seal = seal(2)
    workspace.performChanges(
      [],
      changesHandler: { transaction in
        transaction.dictionary.set(1, forKey: "undone", expiringAfter: .hour)
        transaction.dictionary.namespace("s", sealedBy: seal)["y"] = 1
      }
    ) { results.append("\($0)") }
    workspace.performChanges(
      [],
      changesHandler: { transaction in
        transaction.dictionary.set(2, forKey: "kept", expiringAfter: .hour)
      }
    ) { results.append("\($0)") }
    mayEnd.open()
    let outcome = try results.wait(forCount: 3)
    #expect(outcome.sorted() == ["false", "true", "true"], "\(outcome)")
  }
}

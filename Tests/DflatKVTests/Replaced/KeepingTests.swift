import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

extension DictionaryKeys {
  fileprivate static let settings = DictionaryKey("settings", default: Look())
}

/// A write keeps aside the old bytes that its type could not read.
@Suite struct KeepingTests {
  /// A workspace whose file has a value under "settings" that `Look` can't read.
  private func workspace(
    _ configure: (inout SQLiteWorkspace.Options) -> Void = { _ in }
  ) throws -> (TestWorkspace, StoredValue) {
    let test = try TestWorkspace(configure)
    test.dictionary["settings"] = Look.unreadable
    try test.dictionary.synchronize()
    return (test, try #require(try test.dictionary.storedValue(forKey: "settings")))
  }

  /// Removes a key's entry from the cache.
  private func forget(_ name: String, in test: TestWorkspace) {
    let key = HashedKey(name, namespace: 0)
    DictionaryStore.of(test.core).shards.withShard(of: key) { $0.forget(key, at: 0, displacing: &$1) }
  }

  // MARK: Values that a read found unreadable

  @Test("A path assignment over an undecodable value keeps its bytes", arguments: WritingWay.allCases, [true, false])
  func pathAssignment(way: WritingWay, isCached: Bool) throws {
    let (test, old) = try workspace()
    try test.write(way) { dictionary in
      dictionary[.settings].colour = .red
      if !isCached { forget("settings", in: test) }
    }
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.undecodable])
    for test in [test, try test.another()] {
      #expect(test.dictionary[.settings] == Look(colour: .red))
      let values = try test.dictionary.replacedValues()
      let value = try #require(values.first)
      #expect(values.count == 1)
      #expect(value.value == old && value.key == "settings" && value.namespace.isEmpty)
      #expect(value.id.commitNumber == 2 && value.id.position == 1 && value.id.description == "2.1")
      #expect(value.byteCount == old.byteCount + "settings".utf8.count)
      // 2020 at the earliest, in whole seconds.
      let seconds = value.date.timeIntervalSince1970
      #expect(seconds > 1_577_836_800 && seconds == seconds.rounded())
    }
    // The new value is readable, so its replacement keeps nothing.
    try test.write(way) { $0[.settings].colour = .green }
    #expect(try test.keptValues() == [old])
    #expect(try test.workspace.checkIntegrity() == [])
  }

  /// Checks that the first of two blind writes after a read that fails keeps the value.
  private func expectKept(after read: (WorkspaceDictionary) throws -> Void) throws {
    let (test, old) = try workspace()
    let d = test.dictionary
    try read(d)
    d["settings"] = Look(size: 1)
    try d.synchronize()
    #expect(try test.keptValues() == [old])
    d["settings"] = Look(size: 2)
    try d.synchronize()
    #expect(try test.keptValues() == [old])
  }

  @Test("A blind write after a subscript that failed to read the value keeps it") func failedSubscript() throws {
    try expectKept { dictionary in #expect(dictionary["settings", Look.self] == nil) }
  }

  @Test("A blind write after a read that threw keeps the value") func thrownError() throws {
    try expectKept { dictionary in
      #expect(throws: WorkspaceError.self) { try dictionary.value(forKey: "settings", as: Look.self) }
    }
  }

  @Test("A blind write after an observer that failed to read the value keeps it") func failedObserver() throws {
    try expectKept { dictionary in dictionary.subscribe("settings", of: Look.self) { _ in }.cancel() }
  }

  @Test("A blind write after a sequence that failed to read the value keeps it") func failedSequence() throws {
    try expectKept { dictionary in _ = dictionary.subscribe("settings", of: Look.self) as AsyncStream<Look?> }
  }

  @Test("A blind write of the same kind, without a read that failed, keeps nothing") func noRead() throws {
    let (test, old) = try workspace()
    test.dictionary["settings"] = Look()
    try test.dictionary.synchronize()
    #expect(try test.keptValues().isEmpty)
    // Another workspace's failed read isn't this one's.
    test.dictionary["settings"] = old
    try test.dictionary.synchronize()
    let other = try test.another()
    #expect(other.dictionary["settings", Look.self] == nil)
    test.dictionary["settings"] = Look()
    try test.dictionary.synchronize()
    #expect(try test.keptValues().isEmpty)
  }

  @Test("A number that a type can't represent is kept when it is replaced, and one that it can is not") func numbers()
    throws
  {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["k"] = 0.5
    try d.synchronize()
    d["k", default: 0] += 1
    try d.synchronize()
    #expect(d["k"] == 1)
    #expect(try test.keptValues() == [.double(0.5)])
    d["k", default: 0.5] += 1
    try d.synchronize()
    d["k"] = Float.nan
    try d.synchronize()
    #expect(try test.keptValues() == [.double(0.5)])
  }

  @Test("A1: A transaction that is undone keeps nothing, and a later write still keeps the value") func undone() throws
  {
    let (test, old) = try workspace()
    #expect(throws: Stubborn.Refusal.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["before"] = 1
        transaction.dictionary[.settings].colour = .red
        throw Stubborn.Refusal()
      }
    }
    #expect(try test.keptValues().isEmpty)
    // Undone after its changes were applied, because another one is too large.
    let error = #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary[.settings].colour = .red
        transaction.dictionary["huge"] = Data(count: 1_000_000_001)
      }
    }
    #expect(error?.code == .tooLarge)
    #expect(try test.keptValues().isEmpty)
    test.dictionary["settings"] = Look()
    try test.dictionary.synchronize()
    #expect(try test.keptValues() == [old])
  }

  @Test("A1: The other members of a group commit if the one that kept the first value is undone") func undoneMember()
    throws
  {
    let (test, old) = try workspace { $0.commitLate() }
    let ended = EventLog<Bool>()
    let held = try HeldWriteToken(test) { $0.dictionary["held"] = 1 }
    test.workspace.performChanges([]) { transaction in
      transaction.dictionary[.settings].colour = .red
      transaction.dictionary["huge"] = Data(count: 1_000_000_001)
    } completionHandler: {
      ended.append($0)
    }
    test.workspace.performChanges([]) {
      $0.dictionary["other"] = 1
    } completionHandler: {
      ended.append($0)
    }
    try held.end()
    #expect(try ended.wait(forCount: 2) == [false, true])
    #expect(test.dictionary["other"] == 1)
    #expect(try test.keptValues().isEmpty)
    test.dictionary["settings"] = Look()
    try test.dictionary.synchronize()
    #expect(try test.keptValues() == [old])
  }

  @Test("A2: A commit that fails keeps nothing, and the next one keeps the value") func failedCommit() throws {
    let (test, old) = try workspace { $0.vfs = FaultPlan.vfsName }
    let plan = try FaultPlan(.write, on: .wal, in: test.directory.path, fail: .once(1), with: .full)
    defer { plan.cancel() }
    test.dictionary[.settings].colour = .red
    #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
    #expect(try test.keptValues().isEmpty)
    #expect(try test.dictionary.storedValue(forKey: "settings") == old)
    test.dictionary["settings"] = Look()
    try test.dictionary.synchronize()
    #expect(try test.keptValues() == [old])
  }

  @Test("A value that the writer refuses as too large keeps nothing of the one in the file") func refused() throws {
    let (test, _) = try workspace()
    #expect(test.dictionary["settings", Int.self] == nil)
    test.dictionary["settings"] = Data(count: 1_000_000_001)
    test.dictionary["other"] = 1
    let error = #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
    #expect(error?.code == .tooLarge)
    #expect(test.dictionary["other"] == 1)
    #expect(try test.keptValues().isEmpty)
  }

  @Test(
    "A row that this version can't read is kept as it is",
    arguments: [("type = 99", .undecodable), ("value = 5", .corrupt), ("value = NULL", .corrupt)]
      as [(String, WorkspaceError.Code)])
  func damagedRow(change: String, code: WorkspaceError.Code) throws {
    let (test, _) = try workspace()
    test.workspace.shutdown()
    try RawDatabase.execute("UPDATE dictionary SET \(change)", on: test.path)
    let columns = "SELECT quote(namespace) || quote(key) || quote(type) || quote(version) || quote(value)"
    let row = try #require(try RawDatabase(test.path).text("\(columns) FROM dictionary"))
    let damaged = try test.another()
    #expect(damaged.dictionary["settings", Look.self] == nil)
    // Its tag may be that of the old row, and then only the read shows that the old value is unreadable.
    damaged.dictionary["settings"] = Look()
    try damaged.dictionary.synchronize()
    #expect(try RawDatabase(test.path).text("\(columns) FROM dflat_replaced") == row)
    let value = try #require(try damaged.dictionary.replacedValues().first)
    #expect(value.value == nil)
    let error = #expect(throws: WorkspaceError.self) { try damaged.dictionary.restoreReplacedValue(value.id) }
    #expect(error?.code == code && error?.key == "settings")
    #expect(damaged.dictionary[.settings] == Look())
    #expect(try RawDatabase(test.path).text("\(columns) FROM dflat_replaced") == row)
  }

  // MARK: Values of other kinds

  private static let values: [StoredValue] = [
    .bool(true), .int(1), .uint(2), .float(0.5), .double(-0.0), .string("1"), .data(Data([1])),
    .propertyList(Data([1])),
    .flatBuffers(Data([1]), schemaVersion: nil), .flatBuffers(Data([1]), schemaVersion: "1"),
    .flatBuffers(Data([1]), schemaVersion: "2"),
  ]

  /// The kind of each of `values`.
  private static let kindNumbers = [0, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7]

  @Test("A write keeps a value of another kind, without a read", arguments: WritingWay.allCases, [true, false])
  func kinds(way: WritingWay, isCached: Bool) throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let names = Self.values.indices.flatMap { old in Self.values.indices.map { (old, $0, "\(old) \($0)") } }
    try test.workspace.transactAndWait { transaction in
      for (old, _, name) in names { transaction.dictionary[name] = Self.values[old] }
    }
    let writer = isCached ? test : try test.another { $0.followsOtherProcesses = false }
    try writer.write(way) { dictionary in
      for (_, new, name) in names { dictionary[name] = Self.values[new] }
    }
    let kept = try writer.dictionary.replacedValues()
    let expected = names.filter { Self.kindNumbers[$0.0] != Self.kindNumbers[$0.1] }
    #expect(kept.count == expected.count)
    for (old, _, name) in expected {
      #expect(kept.first { $0.key == name }?.value == Self.values[old], "\(name)")
    }
    for (_, new, name) in names {
      #expect(try writer.dictionary.storedValue(forKey: name) == Self.values[new], "\(name)")
    }
    #expect(test.errors.events.isEmpty && writer.errors.events.isEmpty)
  }

  @Test("Ordinary writes create no table") func ordinary() throws {
    let test = try TestWorkspace()
    for value in ["one", "two"] {
      test.dictionary["k"] = value
      try test.dictionary.synchronize()
    }
    #expect(try test.keptValues().isEmpty)
    #expect(try RawDatabase(test.path).text("SELECT name FROM sqlite_master WHERE name = 'dflat_replaced'") == nil)
  }

  @Test("Keys and namespaces are kept by their bytes") func bytes() throws {
    let test = try TestWorkspace()
    let names = ["", "\0", "a\0b", "e\u{301}", "\u{e9}"]
    for namespace in names {
      for key in names { test.dictionary.namespace(namespace)[key] = "\(Array((namespace + "/" + key).utf8))" }
    }
    try test.dictionary.synchronize()
    for namespace in names {
      for key in names { test.dictionary.namespace(namespace)[key] = 1 }
    }
    try test.dictionary.synchronize()
    for namespace in names {
      let values = try test.dictionary.namespace(namespace).replacedValues()
      #expect(Set(values.map { Array($0.key.utf8) }) == Set(names.map { Array($0.utf8) }))
      for value in values {
        #expect(value.namespace.utf8.elementsEqual(namespace.utf8))
        #expect(value.value == .string("\(Array((namespace + "/" + value.key).utf8))"))
        #expect(try test.dictionary.restoreReplacedValue(value.id))
        #expect(try test.dictionary.namespace(namespace).storedValue(forKey: value.key) == value.value)
      }
    }
    #expect(try test.keptValues() == [StoredValue?](repeating: .int(1), count: 25))
  }

  // MARK: Limits

  @Test("A file keeps the newest values, and drops the oldest of a long commit") func count() throws {
    let test = try TestWorkspace()
    for value in [StoredValue.string("text"), .int(1)] {
      try test.workspace.transactAndWait { transaction in
        for number in 0..<1_100 { transaction.dictionary["k\(number)"] = value }
      }
    }
    let positions = try test.dictionary.replacedValues().map(\.id.position)
    #expect(positions == Array((77...1_100).reversed()))
    test.dictionary["k0"] = "text"
    try test.dictionary.synchronize()
    let values = try test.dictionary.replacedValues()
    #expect(values.count == ReplacedTable.maximumCount && values.first?.key == "k0")
    #expect(values.last?.id.position == 78)
  }

  @Test("A key that changes its kind again and again drops its own oldest values only") func countOfKey() throws {
    let test = try TestWorkspace()
    for number in 0..<30 {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["k"] = number % 2 == 0 ? StoredValue.int(Int64(number)) : .string("\(number)")
        if number == 0 { transaction.dictionary["other"] = "kept" }
        if number == 1 { transaction.dictionary["other"] = 1 }
      }
    }
    let values = try test.dictionary.replacedValues()
    #expect(values.filter { $0.key == "k" }.map(\.id.commitNumber) == Array((23...30).reversed()))
    #expect(values.filter { $0.key == "other" }.map(\.value) == [.string("kept")])
  }

  @Test("The values that a file keeps have a limited size") func bytesOfAll() throws {
    let test = try TestWorkspace()
    for value in [StoredValue.data(Data(count: 4_000_000)), .int(1)] {
      for number in 0..<5 { test.dictionary["k\(number)"] = value }
      try test.dictionary.synchronize()
    }
    let values = try test.dictionary.replacedValues()
    #expect(values.count == 4 && values.allSatisfy { $0.byteCount == 4_000_002 })
  }

  @Test("A value that is too large to be kept is reported if a read found it unreadable") func tooLarge() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["blind"] = Data(count: ReplacedTable.maximumValueBytes)
    d["read"] = Data(count: ReplacedTable.maximumValueBytes - 3)
    d["largest"] = Data(count: ReplacedTable.maximumValueBytes - 7)
    try d.synchronize()
    #expect(d["read", Int.self] == nil)
    for key in ["blind", "read", "largest"] { d[key] = 1 }
    try d.synchronize()
    #expect(try d.replacedValues().map(\.key) == ["largest"])
    let errors = try test.errors.wait(forCount: 2)
    #expect(errors.map(\.code) == [.typeMismatch, .tooLarge] && errors.last?.key == "read")
    #expect(d["read"] == 1)
  }
}

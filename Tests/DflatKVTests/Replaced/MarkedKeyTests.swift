import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

extension DictionaryKeys {
  fileprivate static let theme = DictionaryKey("theme", default: Look())
  fileprivate static let optionalTheme = DictionaryKey("optional", of: Look.self)
}

/// A read that fails marks its key, so that the write that replaces or removes the value keeps it aside.
@Suite struct MarkedKeyTests {
  /// A workspace whose file has a value under "theme" that `Look` can't read.
  private func workspace() throws -> (TestWorkspace, StoredValue) {
    let test = try TestWorkspace()
    test.dictionary["theme"] = Look.unreadable
    try test.dictionary.synchronize()
    return (test, try #require(try test.dictionary.storedValue(forKey: "theme")))
  }

  // MARK: Removals

  @Test(
    "The removal of a marked key keeps its value, and that of many keys keeps nothing",
    arguments: WritingWay.allCases)
  func removals(way: WritingWay) throws {
    let (test, old) = try workspace()
    #expect(test.dictionary["theme", Look.self] == nil)
    try test.write(way) { $0["theme", Look.self] = nil }
    #expect(try test.dictionary.storedValue(forKey: "theme") == nil)
    #expect(try test.keptValues() == [old])
    // A removal without a failed read keeps nothing.
    try test.write(way) { $0["theme"] = Look() }
    try test.write(way) { $0.removeValue(forKey: "theme") }
    #expect(try test.keptValues() == [old])
    try test.write(way) { $0["theme"] = Look() }
    #expect(test.dictionary["theme", Int.self] == nil)
    try test.write(way) { $0.removeAll() }
    #expect(try test.keptValues() == [old])
  }

  @Test("A change through an optional loses no value that it can't read", arguments: WritingWay.allCases)
  func optionalChaining(way: WritingWay) throws {
    let (test, old) = try workspace()
    test.dictionary["optional"] = Look.unreadable
    test.dictionary["n"] = "five"
    try test.dictionary.synchronize()
    try test.write(way) { dictionary in
      dictionary["theme", Look.self]?.size = 3
      dictionary[.optionalTheme]?.size = 3
      dictionary["n", Int.self]? += 1
    }
    for (key, value) in [("theme", old), ("optional", old), ("n", StoredValue.string("five"))] {
      let stored = try test.dictionary.storedValue(forKey: key)
      let values = try test.dictionary.replacedValues().filter { $0.key == key }.map(\.value)
      #expect(stored == value || stored == nil && values == [value], "\(key)")
    }
  }

  @Test("A1: A transaction that removes a marked key and is undone keeps nothing") func undoneRemoval() throws {
    let (test, old) = try workspace()
    #expect(test.dictionary["theme", Look.self] == nil)
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary.removeValue(forKey: "theme")
        transaction.dictionary["huge"] = Data(count: 1_000_000_001)
      }
    }
    #expect(try test.keptValues().isEmpty)
    test.dictionary.removeValue(forKey: "theme")
    try test.dictionary.synchronize()
    #expect(try test.keptValues() == [old])
  }

  @Test("A marked value that is too large to be kept is reported when it is removed") func tooLarge() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = Data(count: ReplacedTable.maximumValueBytes)
    try test.dictionary.synchronize()
    #expect(test.dictionary["k", Int.self] == nil)
    test.dictionary["k", Int.self] = nil
    try test.dictionary.synchronize()
    #expect(try test.errors.wait(forCount: 2).map(\.code) == [.typeMismatch, .tooLarge])
    #expect(!test.dictionary.contains("k"))
    #expect(try test.keptValues().isEmpty)
  }

  @Test(
    "Removing all keys and writing one again keeps nothing, in one transaction as in two",
    arguments: WritingWay.allCases, [true, false])
  func returningKeys(way: WritingWay, isMarked: Bool) throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = "text"
    test.dictionary["other"] = "text"
    try test.dictionary.synchronize()
    if isMarked { #expect(test.dictionary["k", Int.self] == nil) }
    try test.write(way) { dictionary in
      dictionary.removeAll()
      dictionary["k"] = 1
    }
    #expect(test.dictionary["k"] == 1)
    #expect(test.dictionary.keys == ["k"])
    #expect(try test.keptValues().isEmpty)
  }

  @Test("The removal and the write of a key in one transaction are one write") func removedAndWritten() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = "text"
    try test.dictionary.synchronize()
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary.removeValue(forKey: "k")
      transaction.dictionary["k"] = 1
    }
    #expect(try test.keptValues() == [.string("text")])
  }

  // MARK: Values that are not committed

  /// Checks that the value under "theme" that `commit` writes, fails to read and commits is kept when it is replaced,
  /// and the one below it isn't.
  private func expectKept(afterRead commit: (TestWorkspace) throws -> Void) throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["theme"] = ["below": "it"]
    try d.synchronize()
    try commit(test)
    #expect(try test.keptValues().isEmpty)
    let old = try #require(try d.storedValue(forKey: "theme"))
    d["theme"] = Look()
    try d.synchronize()
    #expect(try test.keptValues() == [old])
    d["theme"] = Look(size: 2)
    try d.synchronize()
    #expect(try test.keptValues() == [old])
  }

  @Test("A read of a value that waits to be written protects that value, and not the one below it")
  func waiting() throws {
    try expectKept { test in
      let held = try HeldWriteToken(test)
      test.dictionary["theme"] = Look.unreadable
      #expect(test.dictionary["theme", Look.self] == nil)
      try held.end()
      try test.dictionary.synchronize()
    }
  }

  @Test("A read of a value that its transaction wrote protects that value, and not the one below it")
  func written() throws {
    try expectKept { test in
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["theme"] = Look.unreadable
        #expect(transaction.dictionary["theme", Look.self] == nil)
      }
    }
  }

  @Test("A waiting value that the file already has is protected, too", arguments: [true, false])
  func unchanged(isCached: Bool) throws {
    let (first, old) = try workspace()
    let test = try first.another()
    if isCached { #expect(try test.dictionary.storedValue(forKey: "theme") == old) }
    let held = try HeldWriteToken(test)
    test.dictionary["theme"] = old
    #expect(test.dictionary["theme", Look.self] == nil)
    try held.end()
    try test.dictionary.synchronize()
    test.dictionary["theme"] = Look()
    try test.dictionary.synchronize()
    #expect(try test.keptValues() == [old])
  }

  @Test("An earlier mark of the row below a waiting value stays") func markedBelow() throws {
    let (test, old) = try workspace()
    let d = test.dictionary
    #expect(d["theme", Look.self] == nil)
    let held = try HeldWriteToken(test)
    d["theme"] = ["colour": "orange"]
    #expect(d["theme", Look.self] == nil)
    try held.end()
    try d.synchronize()
    let newer = try #require(try d.storedValue(forKey: "theme"))
    #expect(try test.keptValues() == [old])
    d["theme"] = Look()
    try d.synchronize()
    #expect(try test.keptValues() == [newer, old])
  }

  /// Checks that a readable value that replaces a marked one isn't kept if a later member of the group changes the key.
  private func expectNotKept(after change: (WorkspaceDictionary) -> Void) throws {
    let test = try TestWorkspace { $0.commitLate() }
    test.dictionary["k"] = 0.5
    try test.dictionary.synchronize()
    _ = try? test.dictionary.value(forKey: "k", as: Int.self)
    // The plain write and the transaction are members of one group.
    test.dictionary["k"] = 8
    try test.workspace.transactAndWait { txn in change(txn.dictionary) }
    #expect(test.workspace.commitNumber == 2)
    #expect(try test.keptValues() == [.double(0.5)])
    // The mark has ended for later groups, too.
    test.dictionary["k"] = 9
    try test.dictionary.synchronize()
    #expect(try test.keptValues() == [.double(0.5)])
  }

  @Test("A readable value that replaces a marked one isn't kept if a later member of the group replaces it")
  func replacedTwice() throws {
    try expectNotKept { dictionary in dictionary["k"] = 7 }
  }

  @Test("A readable value that replaces a marked one isn't kept if a later member of the group removes it")
  func replacedAndRemoved() throws {
    try expectNotKept { dictionary in dictionary.removeValue(forKey: "k") }
  }

  @Test("A value of a group is kept when a later member can't read it and replaces it") func laterMember() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let ended = EventLog<Bool>()
    let held = try HeldWriteToken(test) { transaction in
      for key in ["theme", "copy"] { transaction.dictionary[key] = Look.unreadable }
    }
    test.workspace.performChanges([Post.self]) {
      $0.dictionary[.theme].colour = .red
    } completionHandler: {
      ended.append($0)
    }
    test.waitForWriteTokenWaiter()
    try held.end()
    #expect(try ended.wait(forCount: 1) == [true])
    #expect(test.workspace.commitNumber == 1)
    let old = try #require(try test.dictionary.storedValue(forKey: "copy"))
    #expect(try test.keptValues() == [old])
    test.dictionary["theme"] = Look()
    try test.dictionary.synchronize()
    #expect(try test.keptValues() == [old])
  }

  // MARK: Rows whose values are not of their types

  @Test("A subscription that finds such a row marks its key") func initialRow() throws {
    let (test, _) = try workspace()
    test.workspace.shutdown()
    try RawDatabase.execute("UPDATE dictionary SET value = 5", on: test.path)
    let damaged = try test.another()
    let subscription = damaged.dictionary.subscribe("theme") { _ in }
    // Of the same kind, so only the mark keeps the old value.
    damaged.dictionary["theme"] = Look()
    try damaged.dictionary.synchronize()
    #expect(try damaged.keptValues() == [nil])
    #expect(try RawDatabase(test.path).text("SELECT quote(value) FROM dflat_replaced") == "5")
    subscription.cancel()
  }

  @Test("A9: A subscription that learns of such a row from another process marks its key") func externalRow() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another()
    let subscription = test.dictionary.subscribe("k") { _ in }
    Failpoint.beforeCommit.arm(in: other.core) {
      do {
        try other.core.pipeline.writer.group?.connection.execute("UPDATE dictionary SET value = x'05'")
      } catch { Issue.record(error) }
    }
    // Too long for the change log, so the row is read.
    try other.workspace.transactAndWait { $0.dictionary["k"] = String(repeating: "x", count: 1_000) }
    Failpoint.beforeCommit.arm(in: other.core, nil)
    try test.core.checkForCommits()
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.corrupt])
    test.dictionary["k"] = "text"
    try test.dictionary.synchronize()
    #expect(try RawDatabase(test.path).text("SELECT quote(value) FROM dflat_replaced") == "X'05'")
    subscription.cancel()
  }

  // MARK: Limits

  @Test("Unreadable values beyond the limits of their own commit are reported") func dropped() throws {
    let test = try TestWorkspace()
    let names = (0..<ReplacedTable.maximumCount + 6).map { "k\($0)" }
    try test.workspace.transactAndWait { transaction in
      for name in names { transaction.dictionary[name] = Look.unreadable }
    }
    for name in names { #expect(test.dictionary[name, Look.self] == nil) }
    try test.workspace.transactAndWait { transaction in
      for name in names { transaction.dictionary[name] = Look() }
    }
    #expect(try test.keptValues().count == ReplacedTable.maximumCount)
    let reports = try test.errors.wait(forCount: names.count + 1).filter { $0.code == .tooLarge }
    #expect(reports.map(\.key) == ["k0"])
    #expect(reports.first?.message.contains("5 other values") == true)
  }

  @Test("The limits hold if a member that trimmed the list is undone") func trimmedByUndoneMember() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let count = ReplacedTable.maximumCount
    try test.workspace.transactAndWait { transaction in
      for number in 0..<count + 276 { transaction.dictionary["k\(number)"] = "text" }
    }
    try test.workspace.transactAndWait { transaction in
      for number in 0..<count { transaction.dictionary["k\(number)"] = 1 }
    }
    let ended = EventLog<Bool>()
    let held = try HeldWriteToken(test) { transaction in
      for number in count..<count + 100 { transaction.dictionary["k\(number)"] = 1 }
    }
    test.workspace.performChanges([Post.self]) { transaction in
      // A read waits for the write token.
      _ = transaction.dictionary.contains("")
      for number in count + 100..<count + 276 { transaction.dictionary["k\(number)"] = 1 }
      transaction.dictionary["huge"] = Data(count: 1_000_000_001)
    } completionHandler: {
      ended.append($0)
    }
    test.waitForWriteTokenWaiter()
    try held.end()
    #expect(try ended.wait(forCount: 1) == [false])
    let values = try test.dictionary.replacedValues()
    #expect(values.count == count && values.first?.key == "k\(count + 99)")
  }

  @Test("An undone member reports nothing of what it would have replaced") func reportsOfUndoneMember() throws {
    let test = try TestWorkspace { $0.commitLate() }
    test.dictionary["k"] = Data(count: ReplacedTable.maximumValueBytes)
    try test.dictionary.synchronize()
    #expect(test.dictionary["k", Int.self] == nil)
    let ended = EventLog<Bool>()
    let held = try HeldWriteToken(test) { $0.dictionary["held"] = 1 }
    test.workspace.performChanges([Post.self]) { transaction in
      // A read waits for the write token.
      _ = transaction.dictionary.contains("")
      transaction.dictionary["k"] = 1
      transaction.dictionary["huge"] = Data(count: 1_000_000_001)
    } completionHandler: {
      ended.append($0)
    }
    test.workspace.performChanges([Post.self]) {
      _ = $0.dictionary.contains("")
      $0.dictionary["k"] = 2
    } completionHandler: {
      ended.append($0)
    }
    test.waitForWriteTokenWaiter()
    try held.end()
    #expect(try ended.wait(forCount: 2).filter { $0 }.count == 1)
    #expect(test.dictionary["k"] == 2)
    try test.settle()
    let reports = try test.errors.wait { $0.contains { $0.code == .tooLarge && $0.key == "k" } }
    #expect(reports.filter { $0.code == .tooLarge && $0.key == "k" }.count == 1)
  }

  @Test("Values that were only read as another type make room first") func probedValues() throws {
    let (test, old) = try workspace()
    let d = test.dictionary
    #expect(d["theme", Look.self] == nil)
    d["theme"] = Look()
    try d.synchronize()
    for number in 0..<5 {
      d["k\(number)"] = Data(count: 4_000_000)
      try d.synchronize()
      #expect(d["k\(number)", String.self] == nil)
      d["k\(number)"] = Data([1])
      try d.synchronize()
    }
    let values = try d.replacedValues()
    #expect(values.map(\.key) == ["k4", "k3", "k2", "k1", "theme"])
    #expect(values.last?.value == old)
  }
}

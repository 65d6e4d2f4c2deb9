import DflatKV
import DflatSupport
import TestSupport
import Testing

@testable import DflatCore

/// Only changes that differ from the committed state are committed, logged and delivered, even if the cache doesn't
/// know that state.
@Suite struct UnchangedTests {
  enum Way: CaseIterable, Sendable { case transaction, plain }

  /// Returns a workspace with "k", "p.a" and "p.b" in its file and, if `isCached`, in its cache.
  private func prepared(isCached: Bool) throws -> TestWorkspace {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let writer = try test.another()
    try writer.workspace.transactAndWait { transaction in
      for key in ["k", "p.a", "p.b"] { transaction.dictionary[key] = 1 }
      transaction.dictionary["text"] = "text"
      transaction.dictionary["nan"] = Double.nan
      transaction.dictionary["zero"] = 0.0
    }
    writer.workspace.shutdown()
    try test.core.checkForCommits()
    if isCached { for key in ["k", "p.a", "p.b", "text", "nan", "zero"] { #expect(test.dictionary.contains(key)) } }
    return test
  }

  /// Applies `change` as one unit. Returns the changes that a prefix observer gets, or nil if nothing is committed.
  /// Expects that an observer in another workspace gets the same changes.
  private func told(
    _ test: TestWorkspace, _ way: Way, _ change: @escaping @Sendable (WorkspaceDictionary) -> Void
  ) throws -> [String]? {
    let other = try test.another { $0.followsOtherProcesses = false }
    let (here, there) = (EventLog<String>(), EventLog<String>())
    let subscriptions = [
      test.dictionary.subscribe(withPrefix: "") { here.append("\($0.event) \($0.key)") },
      other.dictionary.subscribe(withPrefix: "") { there.append("\($0.event) \($0.key)") },
    ]
    let before = test.core.publication.published
    switch way {
    case .transaction: try test.workspace.transactAndWait { change($0.dictionary) }
    case .plain:
      let writeToken = try HeldWriteToken(test)
      change(test.dictionary)
      try writeToken.end()
      try test.dictionary.synchronize()
    }
    try test.settle()
    try other.core.checkForCommits()
    try other.settle()
    #expect(here.events.sorted() == there.events.sorted())
    for subscription in subscriptions { subscription.cancel() }
    return test.core.publication.published == before ? nil : here.events
  }

  @Test("A value that was set and set back is not committed", arguments: Way.allCases, [true, false])
  func setBack(way: Way, isCached: Bool) throws {
    let test = try prepared(isCached: isCached)
    let told = try told(test, way) { dictionary in
      dictionary["k"] = 2
      dictionary["k"] = 1
    }
    #expect(told == nil)
  }

  @Test("A value that the file already has is not committed", arguments: Way.allCases, [true, false])
  func sameValue(way: Way, isCached: Bool) throws {
    let test = try prepared(isCached: isCached)
    let told = try told(test, way) { dictionary in
      dictionary["k"] = 1
      dictionary["text"] = "text"
      dictionary["nan"] = Double.nan
      dictionary["zero"] = 0.0
      dictionary["missing"] = nil
    }
    #expect(told == nil)
    #expect(try test.dictionary.commitNumber(forKey: "k") == 1)
  }

  @Test("A value that differs only in its type or its sign bit is committed", arguments: Way.allCases, [true, false])
  func otherBits(way: Way, isCached: Bool) throws {
    let test = try prepared(isCached: isCached)
    let told = try told(test, way) { dictionary in
      dictionary["zero"] = -0.0
      dictionary["k"] = 1.0
    }
    #expect(told?.sorted() == ["updated k", "updated zero"])
    let fresh = try test.another()
    #expect(fresh.dictionary["zero", Double.self]?.sign == .minus)
    #expect(fresh.dictionary["k"] == StoredValue.double(1))
  }

  @Test(
    "A removal of a prefix whose values are all set again is not committed", arguments: Way.allCases, [true, false])
  func removedAndSetAgain(way: Way, isCached: Bool) throws {
    let test = try prepared(isCached: isCached)
    let told = try told(test, way) { dictionary in
      dictionary.removeAll(withPrefix: "p.")
      dictionary["p.a"] = 1
      dictionary["p.b"] = 1
    }
    #expect(told == nil)
    #expect(try test.dictionary.entries(withPrefix: "p.").map(\.commitNumber) == [1, 1])
  }

  @Test("A removal of a prefix leaves the keys that are set again unchanged", arguments: Way.allCases, [true, false])
  func someReturn(way: Way, isCached: Bool) throws {
    let test = try prepared(isCached: isCached)
    let told = try told(test, way) { dictionary in
      dictionary.removeAll(withPrefix: "p.")
      dictionary["p.a"] = 1
      dictionary["p.c"] = 3
    }
    #expect(told == ["deleted p.b", "updated p.c"])
    let fresh = try test.another()
    for dictionary in [test.dictionary, fresh.dictionary] {
      #expect(dictionary.keys == ["k", "nan", "p.a", "p.c", "text", "zero"])
      #expect(dictionary["p.a"] == 1 && dictionary["p.c"] == 3 && dictionary["p.b", Int.self] == nil)
    }
    #expect(try test.dictionary.commitNumber(forKey: "p.a") == 1)
  }

  @Test("A removal of a prefix whose values all change is delivered as those changes", arguments: Way.allCases)
  func allChange(way: Way) throws {
    let test = try prepared(isCached: false)
    let told = try told(test, way) { dictionary in
      dictionary.removeAll(withPrefix: "p.")
      dictionary["p.a"] = 2
      dictionary["p.b"] = nil
    }
    #expect(told == ["deleted p.b", "updated p.a"])
    let fresh = try test.another()
    #expect(fresh.dictionary.keys(withPrefix: "p.") == ["p.a"])
  }

  @Test("Overlapping removals delete only the keys that no later write sets", arguments: Way.allCases)
  func overlappingRemovals(way: Way) throws {
    let test = try prepared(isCached: false)
    let told = try told(test, way) { dictionary in
      dictionary.removeAll(withPrefix: "p.")
      dictionary["p.a"] = 7
      dictionary.removeAll()
      dictionary["k"] = 1
      dictionary["p.b"] = 1
    }
    #expect(told?.sorted() == ["deleted nan", "deleted p.a", "deleted text", "deleted zero"])
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == ["k", "p.b"])
  }

  @Test(
    "A removal deletes the keys directly before and after those that are set again", arguments: Way.allCases, ["", "a"])
  func neighbours(way: Way, prefix: String) throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let keys = ["", "\0", "a", "a\0", "a\0b", "ab", "a\u{10FFFF}", "b"]
    try test.workspace.transactAndWait { transaction in for key in keys { transaction.dictionary[key] = 1 } }
    let told = try told(test, way) { dictionary in
      dictionary.removeAll(withPrefix: prefix)
      for key in ["a", "a\0b"] { dictionary[key] = 1 }
    }
    let left = keys.filter { !$0.hasBytePrefix(prefix) || $0 == "a" || $0 == "a\0b" }
    #expect(told == keys.filter { !left.contains($0) }.map { "deleted \($0)" })
    #expect(test.dictionary.keys == left)
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == left)
  }

  @Test("A value that is set back within a group is compared with the group's state") func withinAGroup() throws {
    let test = try prepared(isCached: true)
    let log = EventLog<StoredValue?>()
    let subscription = test.dictionary.subscribe(withPrefix: "k") { log.append($0.value) }
    let writeToken = try HeldWriteToken(test)
    let done = EventLog<Bool>()
    for value in [2, 2, 1] {
      test.workspace.performChanges([]) {
        $0.dictionary["k"] = value
      } completionHandler: {
        done.append($0)
      }
    }
    try writeToken.end()
    _ = try done.wait(forCount: 3)
    try test.settle()
    #expect(log.events == [.int(2), .int(1)])
    subscription.cancel()
  }

  @Test("A5: A plain write of the committed value is committed after a transaction's other value")
  func behindAnother() throws {
    // transaction:  has the write token ──────────────────────────── k = 2, ends
    // plain:                              k = 1, the committed value
    let test = try prepared(isCached: true)
    let writeToken = try HeldWriteToken(test) { $0.dictionary["k"] = 2 }
    test.dictionary["k"] = 1
    try writeToken.end()
    try test.dictionary.synchronize()
    #expect(test.dictionary["k"] == 1)
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 1)
  }
}

import DflatSQLite
import TestSupport
import Testing

@testable import DflatKV

/// `removeAll` is one operation in the order of writes: it removes values set before it and none set after it.
@Suite struct RemovalTests {
  @Test("A removal deletes values set before it and keeps values set after it", arguments: [false, true])
  func order(isCommitted: Bool) throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["before"] = 1
    d["both"] = 1
    if isCommitted { try d.synchronize() }
    d.removeAll()
    #expect(!d.contains("before") && !d.contains("both"))
    d["both"] = 2
    d["after"] = 2
    #expect(d.keys == ["after", "both"])
    #expect(d["both"] == 2 && d["before", Int.self] == nil)
    try d.synchronize()
    #expect(d["both"] == 2 && d["before", Int.self] == nil)
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == ["after", "both"])
    #expect(fresh.dictionary["both"] == 2)
  }

  @Test("A value that is set again after a removal survives, even if it is the same") func sameValue() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    test.dictionary.removeAll()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 1)
  }

  @Test("Removals that wait together apply in order and match prefixes by bytes") func prefixes() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    for key in ["a.1", "a.2", "a%", "b", "e\u{301}", "\u{e9}"] { d[key] = 1 }
    try d.synchronize()
    let writeToken = try HeldWriteToken(test)
    d.removeAll(withPrefix: "a.")
    d["a.2"] = 2
    d.removeAll(withPrefix: "e")
    d.removeAll(withPrefix: "nothing")
    d["a.3"] = 3
    d.removeAll(withPrefix: "a.3")
    let expected = ["a%", "a.2", "b", "\u{e9}"]
    #expect(d.keys == expected)
    try writeToken.end()
    try d.synchronize()
    #expect(d.keys == expected)
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == expected)
    #expect(fresh.dictionary["a.2"] == 2)
  }

  @Test("A removal in a transaction is staged in order, and abort() undoes it") func transactional() throws {
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    test.dictionary["b"] = 1
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary.removeAll()
        #expect(transaction.dictionary.keys == [])
        transaction.abort()
      }
    }
    #expect(test.dictionary.keys == ["a", "b"])
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary["c"] = 1
      transaction.dictionary.removeAll()
      transaction.dictionary["b"] = 2
    }
    #expect(test.dictionary.keys == ["b"])
    #expect(test.dictionary["b"] == 2)
  }

  @Test("A waiting removal follows the open group's writes and precedes later plain writes")
  func behindOpenGroup() throws {
    // transaction:  drains a = 1 ─ stops                                 ─ sets b = 2 ─ ends
    // plain:                              removeAll, c = 3 wait
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    let writeToken = try HeldWriteToken(test) { $0.dictionary["b"] = 2 }
    test.dictionary.removeAll()
    test.dictionary["c"] = 3
    #expect(test.dictionary.keys == ["c"])
    #expect(test.dictionary["a", Int.self] == nil)
    try writeToken.end()
    try test.dictionary.synchronize()
    #expect(test.dictionary.keys == ["c"])
    #expect(test.dictionary["b", Int.self] == nil)
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == ["c"])
  }

  @Test("Writes concurrent with removals keep each thread's order, and memory agrees with the file")
  func concurrent() throws {
    let test = try TestWorkspace()
    let writers = (0..<3).map { writer in
      BackgroundThread {
        let d = test.dictionary
        for round in 0..<300 {
          let key = "w\(writer).\(round % 7)"
          d[key] = round
          // Only another thread's removal can have deleted it.
          let seen = d[key, Int.self]
          #expect(seen == round || seen == nil)
          if round % 50 == writer { d.removeAll() }
          if round % 40 == writer { d.removeAll(withPrefix: "w\(writer).") }
        }
        d["last\(writer)"] = writer
      }
    }
    for writer in writers { try writer.join() }
    let before = test.dictionary.keys
    try test.dictionary.synchronize()
    #expect(test.dictionary.keys == before)
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == before)
    for key in before { #expect(test.dictionary[key, Int.self] == fresh.dictionary[key, Int.self]) }
    for writer in 0..<3 {
      for number in 0..<7 {
        let key = "w\(writer).\(number)"
        #expect(test.dictionary[key, Int.self] == fresh.dictionary[key, Int.self])
      }
    }
  }

  @Test("A removal runs at most two statements, even if many of its keys are set again")
  func manySetAfterwards() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    try test.workspace.transactAndWait { transaction in
      for number in 0..<500 { transaction.dictionary["k\(number)"] = number }
      transaction.dictionary["k250 stale"] = 1
    }
    let other = try test.another { $0.followsOtherProcesses = false }
    var connection: Connection?
    try other.workspace.transactAndWait { transaction in
      connection = try transaction.joinedGroup().connection
      transaction.dictionary.removeAll()
      for number in 0..<500 { transaction.dictionary["k\(number)"] = -number }
    }
    let writer = try #require(connection)
    let runs = try [SQL.remove, .removeRange, .removeAll].reduce(0) { try $0 + writer.statement($1).runs }
    #expect(runs <= 2)
    #expect(other.dictionary.count == 500)
    try test.core.checkForCommits()
    #expect(test.dictionary["k499"] == -499)
  }

  @Test("A removal deletes and reports exactly the keys that are not set again") func shares() throws {
    var random = SeededGenerator(seed: 11)
    for (count, share) in [(0, 50), (1, 50), (5, 0), (40, 5), (40, 50), (40, 95), (40, 100), (300, 97), (300, 3)] {
      let test = try TestWorkspace { $0.followsOtherProcesses = false }
      let told = EventLog<String>()
      let old = (0..<count).map { "p\($0)" + ["", "\u{0}", "e\u{301}", "\u{e9}"][$0 % 4] }
      try test.workspace.transactAndWait { transaction in
        for key in old + ["o", "q"] { transaction.dictionary[key] = 1 }
      }
      let set = (old + (0..<5).map { "pnew\($0)" }).filter { _ in Int.random(in: 0..<100, using: &random) < share }
      let subscription = test.dictionary.subscribe(withPrefix: "") { told.append("\($0.event) \($0.key)") }
      let other = try test.another { $0.followsOtherProcesses = false }
      try other.workspace.transactAndWait { transaction in
        transaction.dictionary.removeAll(withPrefix: "p")
        for (number, key) in set.enumerated() { transaction.dictionary[key] = number % 3 == 0 ? 1 : 2 }
      }
      try test.core.checkForCommits()
      try test.settle()
      let isSet = Set(set.map { Array($0.utf8) })
      let gone = old.filter { !isSet.contains(Array($0.utf8)) }
      let left = (set + ["o", "q"]).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      #expect(test.dictionary.keys.map { Array($0.utf8) } == left.map { Array($0.utf8) })
      let deleted = told.events.filter { $0.hasPrefix("deleted") }.map { Array($0.utf8) }
      #expect(Set(deleted) == Set(gone.map { Array("deleted \($0)".utf8) }) && deleted.count == gone.count)
      subscription.cancel()
    }
  }
}

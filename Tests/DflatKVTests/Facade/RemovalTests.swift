import DflatKV
import TestSupport
import Testing

/// `removeAll` is one ordered operation: what was set after it survives, what was set before it does not.
@Suite("Removal of ranges") struct RemovalTests {
  @Test("Order on one thread, in memory and in the file", arguments: [false, true]) func order(isCommitted: Bool) throws
  {
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

  @Test("A value that is set to what it was before the removal stays") func sameValue() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    test.dictionary.removeAll()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 1)
  }

  @Test("Prefixes are bytes; several removals wait together") func prefixes() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    for key in ["a.1", "a.2", "a%", "b", "e\u{301}", "\u{e9}"] { d[key] = 1 }
    try d.synchronize()
    let baton = try HeldBaton(test)
    d.removeAll(withPrefix: "a.")
    d["a.2"] = 2
    d.removeAll(withPrefix: "e")
    d.removeAll(withPrefix: "nothing")
    d["a.3"] = 3
    d.removeAll(withPrefix: "a.3")
    let expected = ["a%", "a.2", "b", "\u{e9}"]
    #expect(d.keys == expected)
    try baton.end()
    try d.synchronize()
    #expect(d.keys == expected)
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == expected)
    #expect(fresh.dictionary["a.2"] == 2)
  }

  @Test("In a transaction: staged, ordered, undone with it") func transactional() throws {
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

  @Test("A removal that waits is behind the group that is open and before what comes after") func behindOpenGroup()
    throws
  {
    // transaction:  drains a = 1 ─ stops                                 ─ sets b = 2 ─ ends
    // plain:                              removeAll, c = 3 wait
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    let baton = try HeldBaton(test) { $0.dictionary["b"] = 2 }
    test.dictionary.removeAll()
    test.dictionary["c"] = 3
    #expect(test.dictionary.keys == ["c"])
    #expect(test.dictionary["a", Int.self] == nil)
    try baton.end()
    try test.dictionary.synchronize()
    #expect(test.dictionary.keys == ["c"])
    #expect(test.dictionary["b", Int.self] == nil)
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == ["c"])
  }

  @Test("Against writers on other threads: memory and file agree, and each thread's own order holds") func concurrent()
    throws
  {
    let test = try TestWorkspace()
    let writers = (0..<3).map { writer in
      BackgroundThread {
        let d = test.dictionary
        for round in 0..<300 {
          let key = "w\(writer).\(round % 7)"
          d[key] = round
          // Only a removal by another thread may have taken it.
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
}

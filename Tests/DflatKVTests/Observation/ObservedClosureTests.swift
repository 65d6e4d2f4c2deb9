import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Observations of the keys that a closure reads: values, precision, and commits of others (A9).
@Suite struct ObservedClosureTests {
  // MARK: Values

  @Test("A4: The first value comes before subscribe returns, then each new one; equal values are skipped")
  func sequence() throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { reader -> Int in
      reader.dictionary["a", default: 0] + reader.dictionary["b", default: 0]
    }.subscribe { log.append($0) }
    #expect(log.events == [0])
    try test.workspace.transactAndWait { txn in
      txn.dictionary["a"] = 1
      txn.dictionary["b"] = 2
    }
    try test.workspace.transactAndWait { txn in
      txn.dictionary["a"] = 2
      txn.dictionary["b"] = 1
    }
    try test.workspace.transactAndWait { $0.dictionary.removeValue(forKey: "a") }
    test.dictionary["b"] = 5
    try test.dictionary.synchronize()
    try test.settle()
    #expect(log.events == [0, 3, 1, 5])
    subscription.cancel()
  }

  @Test("Two to four values are delivered together, and compared one by one") func tuples() throws {
    let test = try TestWorkspace()
    let pairs = EventLog<String>()
    let subscriptions = [
      test.workspace.observe { reader -> (Int, String?) in
        (reader.dictionary["a", default: 0], reader.dictionary["text", String.self])
      }.subscribe { number, text in pairs.append("\(number) \(text ?? "nil")") },
      test.workspace.observe { reader -> (Int, Int, Bool) in
        (reader.dictionary["a", default: 0], reader.dictionary["b", default: 0], reader.dictionary.contains("c"))
      }.subscribe { a, b, c in pairs.append("\(a) \(b) \(c)") },
      test.workspace.observe { reader -> (Int, Int, Int, Int) in
        let keys = ["a", "b", "c", "d"].map { reader.dictionary[$0, default: 0] }
        return (keys[0], keys[1], keys[2], keys[3])
      }.subscribe { a, b, c, d in pairs.append("\(a) \(b) \(c) \(d)") },
    ]
    #expect(pairs.events == ["0 nil", "0 0 false", "0 0 0 0"])
    try test.workspace.transactAndWait { txn in
      txn.dictionary["a"] = 1
      txn.dictionary["text"] = "x"
    }
    try test.workspace.transactAndWait { $0.dictionary["d"] = 4 }
    try test.settle()
    #expect(pairs.events.suffix(4) == ["1 x", "1 0 false", "1 0 0 0", "1 0 0 4"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test("A5: A plain write is observed once it is committed") func plainWrites() throws {
    let test = try TestWorkspace()
    let token = try HeldWriteToken(test)
    test.dictionary["k"] = 1
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { log.append($0) }
    #expect(test.dictionary["k"] == 1)
    #expect(log.events == [0])
    try token.end()
    try test.dictionary.synchronize()
    #expect(try log.wait(forCount: 2) == [0, 1])
    subscription.cancel()
  }

  // MARK: Precision

  @Test("A closure runs again only after commits that may change what it has read") func precision() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary["q1"] = 1 }
    let runs = EventLog<Void>()
    let subscription = test.workspace.observe { reader -> [String] in
      runs.append(())
      let found = reader.dictionary["k", Int.self]
      return reader.dictionary.keys(withPrefix: "p.") + [found.map { "\($0)" } ?? "nil"]
    }.subscribe { _ in }
    /// Expects a number of runs after a transaction.
    func expect(_ count: Int, after body: (WorkspaceDictionary) -> Void) throws {
      try test.workspace.transactAndWait { body($0.dictionary) }
      try test.settle()
      #expect(runs.events.count == count)
    }
    try expect(1) { $0["other"] = 1 }
    try expect(1) { $0["p"] = 1 }
    try expect(1) { $0.namespace("n")["k"] = 1 }
    try expect(1) { $0.namespace("n")["p.1"] = 1 }
    try expect(2) { $0["k"] = 1 }
    try expect(2) { $0["k"] = 1 }
    try expect(3) { $0["p.1"] = 1 }
    try expect(3) { $0.removeAll(withPrefix: "q") }
    try expect(4) { $0.removeAll(withPrefix: "p") }
    try expect(5) {
      $0["k"] = 2
      $0["p.2"] = 2
    }
    try expect(6) { $0.removeAll() }
    subscription.cancel()
  }

  @Test("Keys, prefixes and namespaces are told apart by their bytes: two spellings of é, a NUL, nothing")
  func bytes() throws {
    let test = try TestWorkspace()
    let (one, two) = ("caf\u{e9}", "cafe\u{301}")
    let runs = EventLog<Void>()
    let subscription = test.workspace.observe { reader -> [Int] in
      runs.append(())
      return [
        reader.dictionary[one, default: 0], reader.dictionary["a\0b", default: 0], reader.dictionary["", default: 0],
        reader.dictionary.namespace("n").keys(withPrefix: one).count, reader.dictionary.namespace(one)["k", default: 0],
      ]
    }.subscribe { _ in }
    func expect(_ count: Int, after body: (WorkspaceDictionary) -> Void) throws {
      try test.workspace.transactAndWait { body($0.dictionary) }
      try test.settle()
      #expect(runs.events.count == count)
    }
    try expect(1) { $0[two] = 1 }
    try expect(1) { $0["a"] = 1 }
    try expect(1) { $0["a\0c"] = 1 }
    try expect(1) { $0.namespace("n")[two] = 1 }
    try expect(1) { $0.namespace(two)["k"] = 1 }
    try expect(2) { $0[one] = 1 }
    try expect(3) { $0["a\0b"] = 1 }
    try expect(4) { $0[""] = 1 }
    try expect(5) { $0.namespace("n")[one + "\0"] = 1 }
    try expect(6) { $0.namespace(one)["k"] = 1 }
    subscription.cancel()
  }

  @Test("A closure may read other keys in each run") func changingReads() throws {
    let test = try TestWorkspace()
    let tracked = DictionaryStore.of(test.core).trackedReads
    let runs = EventLog<Void>()
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { reader -> Int in
      runs.append(())
      return reader.dictionary[reader.dictionary["which", default: "x"], default: 0]
    }.subscribe { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary["x"] = 1 }
    try test.workspace.transactAndWait { $0.dictionary["which"] = "y" }
    try test.workspace.transactAndWait { $0.dictionary["x"] = 2 }
    try test.workspace.transactAndWait { $0.dictionary["y"] = 3 }
    try test.settle()
    #expect(log.events == [0, 1, 0, 3])
    #expect(runs.events.count == 4)
    #expect(tracked.count == 2)
    subscription.cancel()
    try test.settle()
    #expect(tracked.count == 0)
  }

  @Test("Single reads, numbers of commits and the list of namespaces are tracked") func otherReads() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = test.workspace.observe { reader -> String in
      let dictionary = reader.dictionary
      let number = try dictionary.commitNumber(forKey: "number")
      let stored = try dictionary.storedValue(forKey: "stored")
      let entries = try dictionary.entries(withPrefix: "e", limit: 1)
      let names = try dictionary.namespaces()
      return "\(number as Any) \(stored as Any) \(entries.map(\.key)) \(names)"
    }.subscribe { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary["number"] = 1 }
    try test.workspace.transactAndWait { $0.dictionary["stored"] = true }
    try test.workspace.transactAndWait { $0.dictionary["e1"] = 1 }
    try test.workspace.transactAndWait { $0.dictionary.namespace("n")["k"] = 1 }
    try test.settle()
    #expect(log.events.count == 5)
    #expect(log.events.last?.contains("[\"e1\"] [\"\", \"n\"]") == true)
    subscription.cancel()
  }

  @Test("A namespace that only an observed closure has used keeps its number") func namespaces() throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { $0.dictionary.namespace("n").keys.count }.subscribe { log.append($0) }
    DictionaryStore.of(test.core).sweepNamespaces()
    try test.workspace.transactAndWait { $0.dictionary.namespace("n")["k"] = 1 }
    try test.settle()
    #expect(log.events == [0, 1])
    subscription.cancel()
  }

  // MARK: Other processes

  @Test("A9: Another workspace's commits of every kind let the closure run again") func external() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let log = EventLog<[Int]>()
    let subscription = test.workspace.observe { reader -> [Int] in
      [reader.dictionary["key7", default: 0], reader.dictionary.keys(withPrefix: "key").count]
    }.subscribe { log.append($0) }
    /// Expects a value after a transaction of the other workspace.
    func expect(_ value: [Int], after body: (WorkspaceDictionary) -> Void) throws {
      try other.workspace.transactAndWait { body($0.dictionary) }
      try test.core.checkForCommits()
      try test.settle()
      #expect(log.events.last == value)
    }
    try expect([7, 1]) { $0["key7"] = 7 }
    // Too large for the change log.
    try expect([7, 1_000]) { for number in 0..<1_000 { $0["key\(number)"] = number } }
    try expect([7, 889]) {
      $0.removeAll(withPrefix: "key7")
      $0["key7"] = 7
      $0.removeValue(forKey: "key8")
    }
    try expect([0, 888]) { $0.removeValue(forKey: "key7") }
    #expect(log.events.first == [0, 0])
    subscription.cancel()
  }

  @Test("A9: Commits of another workspace arrive by themselves") func followed() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { log.append($0) }
    for number in 1...20 { try other.workspace.transactAndWait { $0.dictionary["k"] = number } }
    let values = try log.wait { $0.last == 20 }
    #expect(zip(values, values.dropFirst()).allSatisfy(<))
    subscription.cancel()
  }
}

import DflatKV
import TestSupport
import Testing

/// Keys and namespaces.
@Suite struct KeyTests {
  /// Unusual keys, in byte order.
  private static let strange = [
    "", "\0", "\0\0", "a", "a\0", "a\0b", "a%", "a_b", "aa", "b", "e\u{301}", "z", "\u{e9}", "\u{fffd}", "😀",
  ]

  @Test("Keys are compared by their bytes, NUL bytes and canonical equivalents included") func strangeKeys() throws {
    let test = try TestWorkspace()
    for (index, key) in Self.strange.enumerated() { test.dictionary[key] = index }
    for isFlushed in [false, true] {
      if isFlushed { try test.dictionary.synchronize() }
      for (index, key) in Self.strange.enumerated() { #expect(test.dictionary[key] == index) }
      #expect(test.dictionary.count == Self.strange.count)
    }
    let fresh = try test.another()
    for (index, key) in Self.strange.enumerated() { #expect(fresh.dictionary[key] == index) }
    fresh.dictionary["\u{e9}"] = nil
    try fresh.dictionary.synchronize()
    #expect(fresh.dictionary["e\u{301}"] == 10)
    #expect(!fresh.dictionary.contains("\u{e9}"))
  }

  @Test("Keys are listed in byte order, from memory and from the file", arguments: [false, true])
  func order(isFlushed: Bool) throws {
    let test = try TestWorkspace()
    let writeToken = isFlushed ? nil : try HeldWriteToken(test)
    for key in Self.strange.shuffled() { test.dictionary[key] = 1 }
    if isFlushed { try test.dictionary.synchronize() }
    let keys = test.dictionary.keys
    #expect(keys.map { Array($0.utf8) } == Self.strange.map { Array($0.utf8) })
    #expect(test.dictionary.keys(withPrefix: "a") == ["a", "a\0", "a\0b", "a%", "a_b", "aa"])
    #expect(test.dictionary.keys(withPrefix: "a\0") == ["a\0", "a\0b"])
    #expect(test.dictionary.keys(withPrefix: "a%") == ["a%"])
    #expect(test.dictionary.keys(withPrefix: "a_") == ["a_b"])
    #expect(test.dictionary.keys(withPrefix: "e") == ["e\u{301}"])
    #expect(test.dictionary.keys(withPrefix: "\u{e9}").map { Array($0.utf8) } == [Array("\u{e9}".utf8)])
    #expect(test.dictionary.keys(withPrefix: "x") == [])
    #expect(try test.dictionary.entries(withPrefix: "a", limit: 2).map(\.key) == ["a", "a\0"])
    #expect(try test.dictionary.entries(limit: 0).isEmpty)
    try writeToken?.end()
  }

  @Test("Lists of keys combine waiting plain writes with the file's contents") func overlay() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    for key in ["a1", "a2", "b1", "b2"] { d[key] = 1 }
    try d.synchronize()
    let writeToken = try HeldWriteToken(test)
    d["a1"] = nil
    d["a2"] = 2
    d["a3"] = 3
    d.removeAll(withPrefix: "b")
    d["b2"] = 4
    #expect(d.keys == ["a2", "a3", "b2"])
    #expect(d.count == 3)
    let entries = try d.entries()
    #expect(entries.map(\.key) == ["a2", "a3", "b2"])
    #expect(entries.map(\.value) == [.int(2), .int(3), .int(4)])
    #expect(entries.allSatisfy { $0.commitNumber == nil })
    #expect(test.workspace.fetchWithinASnapshot { d.keys } == ["a1", "a2", "b1", "b2"])
    try writeToken.end()
    try d.synchronize()
    #expect(d.keys == ["a2", "a3", "b2"])
    #expect(try d.entries().compactMap(\.commitNumber).count == 3)
    #expect(try d.commitNumber(forKey: "a3") == test.workspace.commitNumber)
    #expect(try d.commitNumber(forKey: "a1") == nil)
  }

  @Test("Lists and lookups in a transaction see its staged changes") func inTransaction() throws {
    let test = try TestWorkspace()
    for key in ["a1", "a2", "b1"] { test.dictionary[key] = 1 }
    try test.workspace.transactAndWait { transaction in
      let d = transaction.dictionary
      d["a1"] = nil
      d["a3"] = 3
      #expect(d.keys(withPrefix: "a") == ["a2", "a3"])
      #expect(!d.contains("a1") && d.contains("a3"))
      d.removeAll(withPrefix: "a")
      d["a4"] = 4
      #expect(d.keys == ["a4", "b1"])
      #expect(d.count == 2)
      let entries = try d.entries(withPrefix: "a")
      #expect(entries.map(\.value) == [.int(4)])
      #expect(test.dictionary.keys == ["a4", "b1"])
    }
    #expect(test.dictionary.keys == ["a4", "b1"])
  }

  @Test("Namespaces are independent of each other") func namespaces() throws {
    let test = try TestWorkspace()
    let root = test.dictionary
    let names = ["a", "b", "a\0", "e\u{301}", "\u{e9}"]
    root["k"] = -1
    for (index, name) in names.enumerated() { root.namespace(name)["k"] = index }
    try root.synchronize()
    let fresh = try test.another()
    for dictionary in [root, fresh.dictionary] {
      #expect(dictionary["k"] == -1)
      for (index, name) in names.enumerated() { #expect(dictionary.namespace(name)["k"] == index) }
      #expect(Set(try dictionary.namespaces().map { Array($0.utf8) }) == Set((names + [""]).map { Array($0.utf8) }))
    }
    root.namespace("a").removeAll()
    #expect(root["k"] == -1)
    #expect(root.namespace("a").keys == [])
    #expect(root.namespace("a\0").keys == ["k"])
    root.removeAll()
    try root.synchronize()
    #expect(root.keys == [] && root.namespace("b")["k"] == 1)
    #expect(root.namespace("b").namespaceName == "b")
    #expect(root.namespace("b").namespace("").namespaceName == "")
  }

  @Test("A key that is cached as absent is found after another workspace commits it") func absence() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    #expect(!test.dictionary.contains("k"))
    other.dictionary["k"] = 1
    try other.dictionary.synchronize()
    try test.core.checkForCommits()
    #expect(test.dictionary["k"] == 1)
  }
}

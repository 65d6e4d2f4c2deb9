import DflatKV
import Foundation
import TestSupport
import Testing

/// Reading keys one after the other, as `kvtool web` lists them.
@Suite(.timeLimit(.minutes(15))) struct ListingTests {
  let test: TestWorkspace
  let dictionary: WorkspaceDictionary

  init() throws {
    test = try TestWorkspace()
    dictionary = test.dictionary
    try test.workspace.transactAndWait { txn in
      for key in ["", "a", "a.", "a.b", "a.b.c", "a/x", "b", "é", "e\u{301}", "\u{10FFFF}"] { txn.dictionary[key] = 1 }
      txn.dictionary.namespace("other")["a"] = 2
    }
  }

  private func keys(withPrefix prefix: String, after position: KeyPosition? = nil) throws -> [String] {
    var (keys, position): ([String], KeyPosition?) = ([], position)
    while let found = try dictionary.firstKey(withPrefix: prefix, after: position, valueUpTo: 100) {
      keys.append(found.key)
      position = .key(found.key)
    }
    return keys
  }

  @Test("Keys come in the order of their bytes, each once, from any position") func order() throws {
    for prefix in ["", "a", "a.", "é", "\u{10FFFF}", "none"] {
      #expect(
        try keys(withPrefix: prefix).map { Array($0.utf8) }
          == dictionary.readKeys(withPrefix: prefix).map { Array($0.utf8) })
    }
    #expect(
      try keys(withPrefix: "", after: .prefix("a")).map { Array($0.utf8) }
        == ["b", "e\u{301}", "é", "\u{10FFFF}"].map { Array($0.utf8) })
    #expect(try keys(withPrefix: "a", after: .prefix("a.")) == ["a/x"])
    #expect(try keys(withPrefix: "", after: .key("a.a")) == keys(withPrefix: "", after: .key("a.")))
    #expect(try keys(withPrefix: "", after: .prefix("")) == [])
  }

  @Test("A key has its type, its size and its commit, and a small value") func summaries() throws {
    let text = String(repeating: "é", count: 60)
    try test.workspace.transactAndWait { txn in
      txn.dictionary["value.bool"] = true
      txn.dictionary["value.data"] = Data([1, 2, 3])
      txn.dictionary["value.double"] = Double.nan
      txn.dictionary["value.float"] = Float(1)
      txn.dictionary["value.text"] = text
    }
    var summaries: [KeySummary] = []
    while let found = try dictionary.firstKey(
      withPrefix: "value.", after: summaries.last.map { .key($0.key) }, valueUpTo: 119)
    {
      summaries.append(found)
    }
    #expect(summaries.map(\.kind) == [.bool, .data, .double, .float, .string])
    #expect(summaries.map(\.byteCount) == [1, 3, 8, 4, 120])
    #expect(summaries.allSatisfy { $0.commitNumber == 2 && $0.problem == nil })
    #expect(summaries[1].value == .data(Data([1, 2, 3])) && summaries[4].value == nil)
    let whole = try dictionary.firstKey(withPrefix: "value.text", after: nil, valueUpTo: 120)
    #expect(whole?.value == .string(text))
  }

  @Test("A key whose type this version doesn't know is listed with the reason") func unknownTypes() throws {
    try RawDatabase.execute("UPDATE dictionary SET type = 99 WHERE key = 'b'", on: test.path)
    let found = try #require(try dictionary.firstKey(withPrefix: "b", after: nil, valueUpTo: 100))
    #expect(found.kind == nil && found.value == nil && found.problem?.code == .undecodable)
    #expect(try keys(withPrefix: "").count == 10)
  }

  @Test("A key that is not UTF-8 is skipped") func otherBytes() throws {
    try RawDatabase.execute("UPDATE dictionary SET key = CAST(x'fe' AS TEXT) WHERE key = 'b'", on: test.path)
    #expect(
      try keys(withPrefix: "", after: .prefix("a")).map { Array($0.utf8) }
        == ["e\u{301}", "é", "\u{10FFFF}"].map { Array($0.utf8) })
    #expect(
      try test.workspace.checkIntegrity() == [
        "1 dictionary rows have a namespace or a key that is not UTF-8."
      ])
  }
}

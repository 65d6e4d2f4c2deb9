import DflatKV
import TestSupport
import Testing

/// Bytes determine whether a value is unchanged, not its own `==`.
@Suite struct SameBytesTests {
  private struct Pair: Codable, Equatable, Sendable {
    var text = "\u{E9}"
    var number = 0.0
  }

  @Test("A Codable value is written if only a zero's sign or a text's spelling differs") func codable() throws {
    let test = try TestWorkspace()
    test.dictionary["pair"] = Pair()
    try test.dictionary.synchronize()
    _ = test.dictionary["pair", Pair.self]
    test.dictionary["pair"] = Pair(text: "e\u{301}", number: -0.0)
    try test.dictionary.synchronize()
    let fresh = try test.another()
    let read = try #require(fresh.dictionary["pair", Pair.self])
    #expect(read.text.utf8.count == 3 && read.number.sign == .minus)
    #expect(test.dictionary["pair", Pair.self]?.number.sign == .minus)
  }

  @Test("A Codable value with NaN that is set again unchanged commits nothing") func nan() throws {
    let test = try TestWorkspace()
    test.dictionary["pair"] = Pair(number: .nan)
    try test.dictionary.synchronize()
    let commit = test.workspace.commitNumber
    test.dictionary["pair"] = Pair(number: .nan)
    try test.dictionary.synchronize()
    #expect(test.workspace.commitNumber == commit)
  }
}

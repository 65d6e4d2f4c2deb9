import DflatKV
import Testing

/// What is unchanged, the bytes say, not what the value's own `==` does.
@Suite("Values that == calls equal") struct SameBytesTests {
  private struct Pair: Codable, Equatable, Sendable {
    var text = "\u{E9}"
    var number = 0.0
  }

  @Test("-0 for 0, and another spelling of a text, inside a Codable value are written") func codable() throws {
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

  @Test("One with NaN that stays as it is is no change") func nan() throws {
    let test = try TestWorkspace()
    test.dictionary["pair"] = Pair(number: .nan)
    try test.dictionary.synchronize()
    let commit = test.workspace.commitNumber
    test.dictionary["pair"] = Pair(number: .nan)
    try test.dictionary.synchronize()
    #expect(test.workspace.commitNumber == commit)
  }
}

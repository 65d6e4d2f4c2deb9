import DflatSupport
import TestSupport
import Testing

@testable import DflatKV

@Suite(.timeLimit(.minutes(15))) struct PrefixRangeSetTests {
  private func text(atMost length: Int, _ generator: inout SeededGenerator) -> String {
    let letters = ["a", "b", "\0", "\u{e9}", "e\u{301}", "\u{10FFFF}"]
    return (0..<Int.random(in: 0...length, using: &generator)).reduce(into: "") { text, _ in
      text += letters.randomElement(using: &generator) ?? ""
    }
  }

  private func range(_ generator: inout SeededGenerator) -> PrefixRange {
    PrefixRange(namespace: .random(in: 0...2, using: &generator), prefix: text(atMost: 4, &generator))
  }

  private func isOrdered(_ a: PrefixRange, _ b: PrefixRange) -> Bool {
    a.namespace == b.namespace ? a.prefix.precedesInBytes(b.prefix) : a.namespace < b.namespace
  }

  @Test("A set finds the range of a key as a search of all ranges does", arguments: 0..<100)
  func search(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var all: [PrefixRange] = []
    for _ in 0..<Int.random(in: 0...30, using: &generator) { all.append(range(&generator)) }
    let found = PrefixRangeSet(all)
    let neighbors = zip(found.ranges, found.ranges.dropFirst())
    #expect(neighbors.allSatisfy { isOrdered($0, $1) && !$0.covers($1) })
    for _ in 0..<30 {
      let key = HashedKey(text(atMost: 6, &generator), namespace: .random(in: 0...2, using: &generator))
      let isCovered = all.contains { $0.covers(key) }
      #expect(found.covers(key) == isCovered)
      #expect(found.index(covering: key).map { found.ranges[$0].covers(key) } ?? !isCovered)
      let other = range(&generator)
      #expect(found.overlaps(other) == all.contains { $0.covers(other) || other.covers($0) })
    }
  }
}

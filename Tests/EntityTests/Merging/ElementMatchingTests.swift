import TestSupport
import Testing

@testable import DflatEntities

/// The matching of the elements of a vector.
@Suite struct ElementMatchingTests {
  private func indexes(_ elements: String, in earlier: String) -> [Int?] {
    ElementMatching.earlierIndexes(of: Array(elements), in: Array(earlier))
  }

  @Test("An unchanged vector keeps each element, also equal ones") func unchanged() {
    #expect(indexes("", in: "") == [])
    #expect(indexes("abc", in: "abc") == [0, 1, 2])
    #expect(indexes("aaa", in: "aaa") == [0, 1, 2])
  }

  @Test("Elements around an insertion, a removal and a replacement are kept") func edits() {
    #expect(indexes("xab", in: "ab") == [nil, 0, 1])
    #expect(indexes("axb", in: "ab") == [0, nil, 1])
    #expect(indexes("abx", in: "ab") == [0, 1, nil])
    #expect(indexes("ac", in: "abc") == [0, 2])
    #expect(indexes("axc", in: "abc") == [0, nil, 2])
    #expect(indexes("", in: "ab") == [])
    #expect(indexes("ab", in: "") == [nil, nil])
  }

  @Test("Elements that move are kept") func moves() {
    #expect(indexes("cab", in: "abc") == [2, 0, 1])
    #expect(indexes("bac", in: "abc") == [1, 0, 2])
    #expect(indexes("xcbx", in: "abc") == [nil, 2, 1, nil])
  }

  @Test("Equal elements are kept in order, each once") func equal() {
    #expect(indexes("aaaa", in: "aa") == [0, 1, nil, nil])
    #expect(indexes("xaya", in: "aab") == [nil, 0, nil, 1])
    #expect(indexes("ba", in: "aab") == [2, 0])
  }

  /// Matches elements that are written as their keys and contents; `a1?` hides its key, and `-1` has none.
  private func keyed(_ elements: String..., in earlier: [String]) -> [Int?] {
    func element(_ text: String) -> ElementMatching.Element<String> {
      let key = String(text.prefix(1))
      return .init(content: text.replacing("?", with: ""), key: key == "-" ? nil : key, hidesKey: text.hasSuffix("?"))
    }
    return ElementMatching.earlierIndexes(of: elements.map(element), in: earlier.map(element))
  }

  @Test("Elements with the same content are found first, then those with the same key") func keys() {
    let earlier = ["a1", "b1", "-1"]
    #expect(keyed("a1", "b1", "-1", in: earlier) == [0, 1, 2])
    #expect(keyed("b2", "a2", in: earlier) == [1, 0])
    #expect(keyed("-1", "b1", "a2", in: earlier) == [2, 1, 0])
    #expect(keyed("-2", "c1", in: earlier) == [nil, nil])
  }

  @Test("A key that occurs twice, or is hidden, identifies nothing") func ambiguousKeys() {
    #expect(keyed("a3", "b2", in: ["a1", "a2", "b1"]) == [nil, 2])
    #expect(keyed("a3", "a2", in: ["a1", "a2"]) == [nil, 1])
    #expect(keyed("a2", "a3", in: ["a1"]) == [nil, nil])
    #expect(keyed("a2", "a1", in: ["a1"]) == [nil, 0])
    #expect(keyed("a2", in: ["a1?"]) == [nil])
    #expect(keyed("a2", in: ["a1?", "a3"]) == [nil])
    #expect(keyed("a1", in: ["a1?"]) == [0])
  }

  @Test("No earlier element is found twice, and each one found is equal") func random() {
    var random = SeededGenerator.announced(for: "ElementMatchingTests")
    for _ in 0..<2_000 {
      func vector() -> [Int] {
        let count = Int.random(in: 0...8, using: &random)
        return (0..<count).map { _ in .random(in: 0...3, using: &random) }
      }
      let (elements, earlier) = (vector(), vector())
      let found = ElementMatching.earlierIndexes(of: elements, in: earlier)
      #expect(found.count == elements.count)
      let kept = found.compactMap { $0 }
      #expect(Set(kept).count == kept.count, "\(elements) in \(earlier)")
      for (element, index) in zip(elements, found) {
        if let index { #expect(earlier[index] == element, "\(elements) in \(earlier)") }
      }
      // An element without a counterpart has none left.
      for (place, index) in found.enumerated() where index == nil {
        let left = earlier.indices.filter { earlier[$0] == elements[place] && !kept.contains($0) }
        #expect(left == [], "\(elements) in \(earlier)")
      }
    }
  }
}

import TestSupport
import Testing

@testable import DflatCore

@Suite struct MatchingIndexTests {
  private static let number = FieldPath(.scalar(4, .int32, default: .integer(0)))
  private static let text = FieldPath(.string(6))

  private func candidates(_ index: inout MatchingIndex, _ values: [FieldPath: QueryValue]) -> [Int32] {
    index.build()
    var found: [Int32] = []
    index.forEachCandidate({ values[$0] ?? .null }) { found.append($0) }
    return found.sorted()
  }

  @Test("Equality is looked up by the value, ranges by what they contain, the rest is always a candidate")
  func kinds() {
    var index = MatchingIndex()
    index.insert(0, .equal(Self.number, [.integer(1), .integer(2)]))
    index.insert(1, .range(Self.number, lower: .init(value: .integer(2), isInclusive: true), upper: nil))
    index.insert(2, .equal(Self.text, [.text("a")]))
    index.insert(3, .any)
    index.insert(4, .none)
    #expect(candidates(&index, [Self.number: .integer(2)]) == [0, 1, 3])
    #expect(candidates(&index, [Self.number: .integer(1), Self.text: .text("a")]) == [0, 2, 3])
    #expect(candidates(&index, [:]) == [3])
    for number: Int32 in [0, 1, 3, 4] { index.remove(number) }
    #expect(candidates(&index, [Self.number: .integer(2), Self.text: .text("a")]) == [2])
    index.remove(2)
    #expect(index.count == 0 && candidates(&index, [Self.text: .text("a")]).isEmpty)
  }

  @Test("A path that nobody constrains is not read")
  func readsWhatItNeeds() {
    var index = MatchingIndex()
    index.insert(0, .equal(Self.text, [.text("a")]))
    index.insert(1, .equal(Self.text, [.text("b")]))
    index.build()
    var asked: [FieldPath] = []
    index.forEachCandidate({
      asked.append($0)
      return .text("b")
    }) { #expect($0 == 1) }
    #expect(asked == [Self.text])
  }

  @Test("Intervals contain what comparing with their ends says")
  func intervals() {
    var random = SeededGenerator.announced(for: "intervals")
    for round in 0..<200 {
      var index = IntervalIndex()
      var bounds: [Int32: (IntervalBound?, IntervalBound?)] = [:]
      for number in 0..<Int32.random(in: 0...12, using: &random) {
        func bound() -> IntervalBound? {
          let value = Int64.random(in: -5...5, using: &random)
          if Bool.random(using: &random) && Bool.random(using: &random) { return nil }
          return IntervalBound(value: .integer(value), isInclusive: .random(using: &random))
        }
        let pair = (bound(), bound())
        bounds[number] = pair
        index.insert(number, from: pair.0, to: pair.1)
      }
      if round % 2 == 0, let removed = bounds.keys.randomElement(using: &random) {
        index.build()
        index.remove(removed)
        bounds[removed] = nil
      }
      index.build()
      for value: Int64 in -6...6 {
        var found: [Int32] = []
        index.forEach(containing: .integer(value)) { found.append($0) }
        let expected = bounds.filter { _, pair in
          let isAbove = pair.0.map { $0.value.precedes(.integer(value)) || $0.isInclusive && $0.value == .integer(value) }
          let isBelow = pair.1.map { QueryValue.integer(value).precedes($0.value) || $0.isInclusive && $0.value == .integer(value) }
          return isAbove ?? true && isBelow ?? true
        }
        #expect(found.sorted() == expected.keys.sorted(), "\(bounds) at \(value)")
      }
    }
  }

  @Test("NaN and null are in no interval, an interval that ends at NaN is empty, and zeros of both signs are one")
  func unordered() {
    var index = IntervalIndex()
    index.insert(0, from: nil, to: nil)
    index.insert(1, from: IntervalBound(value: .real(.nan), isInclusive: true), to: nil)
    index.insert(2, from: IntervalBound(value: .real(0), isInclusive: true), to: nil)
    index.build()
    func found(_ value: QueryValue) -> [Int32] {
      var found: [Int32] = []
      index.forEach(containing: value) { found.append($0) }
      return found.sorted()
    }
    #expect(found(.real(.nan)) == [])
    #expect(found(.null) == [])
    #expect(found(.real(-0.0)) == [0, 2])
    #expect(found(.real(-.infinity)) == [0])
  }

  @Test("A query has a row once, with what it may have been and be")
  func candidateEntries() {
    var candidates = Candidates(count: 3)
    candidates.add(1, change: 0, isNew: false)
    candidates.add(1, change: 0, isNew: true)
    candidates.add(2, change: 0, isNew: true)
    candidates.add(1, change: 4, isNew: true)
    candidates.add(1, change: 4, isNew: true)
    var seen: [Int32: [Candidates.Entry]] = [:]
    candidates.forEachQuery { seen[$0] = $1 }
    #expect(
      seen == [
        1: [
          .init(change: 0, mayHaveMatched: true, mayMatch: true), .init(change: 4, mayHaveMatched: false, mayMatch: true),
        ],
        2: [.init(change: 0, mayHaveMatched: false, mayMatch: true)],
      ])
  }
}

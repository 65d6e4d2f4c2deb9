import TestSupport
import Testing

@testable import DflatEntities

@Suite struct MatchingIndexTests {
  private static let number = FieldPath(.scalar(4, .int32, default: .integer(0)))
  private static let text = FieldPath(.string(6))

  private func candidates(_ index: MatchingIndex, _ values: [FieldPath: QueryValue]) -> [Int32] {
    index.prepare(forRows: 100)
    var found: [Int32] = []
    index.forEachCandidate({ values[$1] ?? .null }) { found.append($0) }
    return found.sorted()
  }

  @Test("Equality and range conditions narrow the candidates, and others are kept apart")
  func kinds() {
    var index = MatchingIndex()
    index.insert(0, .equal(Self.number, [.integer(1), .integer(2)]))
    index.insert(1, .range(Self.number, ValueRange(lower: .init(value: .integer(2), isInclusive: true))))
    index.insert(2, .equal(Self.text, [.text("a")]))
    index.insert(3, .any)
    index.insert(4, .none)
    #expect(candidates(index, [Self.number: .integer(2)]) == [0, 1])
    #expect(candidates(index, [Self.number: .integer(1), Self.text: .text("a")]) == [0, 2])
    #expect(candidates(index, [:]).isEmpty && index.unnarrowed.numbers == [3])
    #expect((Int32(0)..<6).filter(index.narrows) == [0, 1, 2])
    for number: Int32 in [0, 1, 3, 4] { index.remove(number) }
    #expect(candidates(index, [Self.number: .integer(2), Self.text: .text("a")]) == [2])
    #expect(index.unnarrowed.isEmpty)
    index.remove(2)
    #expect(candidates(index, [Self.number: .integer(2), Self.text: .text("a")]).isEmpty)
  }

  @Test("A path without a condition is not read")
  func readsWhatItNeeds() {
    var index = MatchingIndex()
    index.insert(0, .equal(Self.text, [.text("a")]))
    index.insert(1, .equal(Self.text, [.text("b")]))
    index.prepare(forRows: 100)
    var asked: [FieldPath] = []
    index.forEachCandidate({
      asked.append($1)
      return .text("b")
    }) { #expect($0 == 1) }
    #expect(asked == [Self.text])
    for number: Int32 in [0, 1] { index.remove(number) }
    index.forEachCandidate({
      Issue.record("\($1) was read without a condition")
      return .null
    }) { _ in }
  }

  @Test("An interval index agrees with comparing ranges one by one while they come and go")
  func intervals() {
    var random = SeededGenerator.announced(for: "intervals")
    for _ in 0..<100 {
      var index = IntervalIndex()
      var ranges: [Int32: ValueRange] = [:]
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        func bound() -> ValueRange.Bound? {
          let value = Int64.random(in: -5...5, using: &random)
          if Int.random(in: 0..<4, using: &random) == 0 { return nil }
          return ValueRange.Bound(value: .integer(value), isInclusive: .random(using: &random))
        }
        let number = Int32.random(in: 0..<12, using: &random)
        if ranges[number] == nil {
          let range = ValueRange(lower: bound(), upper: bound())
          ranges[number] = range
          index.insert(number, range)
        } else {
          ranges[number] = nil
          index.remove(number)
        }
        index.prepare(forLookUps: .random(in: 0...3, using: &random))
        for value: Int64 in -6...6 {
          var found: [Int32] = []
          index.forEach(containing: .integer(value)) { found.append($0) }
          let expected = ranges.filter { $1.contains(.integer(value)) }
          #expect(found.sorted() == expected.keys.sorted(), "\(ranges) at \(value)")
        }
      }
    }
  }

  @Test("Intervals move into the tree once scanning them has cost as much as building it")
  func intervalTree() {
    var index = IntervalIndex()
    for number: Int32 in 0..<100 {
      index.insert(number, ValueRange(lower: .init(value: .integer(Int64(number)), isInclusive: true)))
    }
    index.prepare(forLookUps: 1)
    #expect(index.fresh.count == 100)
    index.prepare(forLookUps: 1)
    #expect(index.fresh.isEmpty)
  }

  @Test("Null and NaN are in no interval, zeros of both signs are equal, and null can be looked up")
  func oddValues() {
    let real = FieldPath(.scalar(8, .double, default: .real(0)))
    var index = MatchingIndex()
    index.insert(0, .range(real, ValueRange(lower: .init(value: .real(0), isInclusive: true))))
    index.insert(1, .range(real, ValueRange(upper: .init(value: .real(0), isInclusive: false))))
    index.insert(2, .equal(real, [.null, .real(0)]))
    #expect(candidates(index, [real: .real(.nan)]) == [])
    #expect(candidates(index, [real: .null]) == [2])
    #expect(candidates(index, [real: .real(-0.0)]) == [0, 2])
    #expect(candidates(index, [real: .real(-.infinity)]) == [1])
  }

  @Test("A query gets a changed row once, with its possible matches before and after")
  func candidateEntries() {
    var candidates = Candidates(count: 3, reusing: [-1])
    candidates.add(1, change: 0, isNew: false)
    candidates.add(1, change: 0, isNew: true)
    candidates.add(2, change: 0, isNew: true)
    candidates.add(1, change: 4, isNew: true)
    candidates.add(1, change: 4, isNew: true)
    var seen: [Int32: [Candidates.Entry]] = [:]
    let memory = candidates.forEachQuery { seen[$0] = Array($1) }
    #expect(memory == [-1, -1, -1])
    #expect(
      seen == [
        1: [
          .init(change: 0, mayHaveMatched: true, mayMatch: true),
          .init(change: 4, mayHaveMatched: false, mayMatch: true),
        ],
        2: [.init(change: 0, mayHaveMatched: false, mayMatch: true)],
      ])
  }

  @Test("A query is looked up by its most selective condition")
  func conditions() {
    let number = QueryNode.field(QueryField(Self.number))
    let text = QueryNode.field(QueryField(Self.text))
    func condition(_ node: QueryNode) -> MatchCondition { MatchCondition(node.constraints) }
    let isAbove = QueryNode.comparison(.less, .constant(.integer(3)), number)
    let isA = QueryNode.comparison(.equal, text, .constant(.text("a")))
    #expect(condition(.and(isAbove, isA)) == .equal(Self.text, [.text("a")]))
    #expect(condition(.or(isAbove, isA)) == .any)
    #expect(condition(isAbove) == .range(Self.number, ValueRange(lower: .init(value: .integer(3), isInclusive: false))))
    #expect(condition(.and(isAbove, .not(isAbove))) == .none)
    #expect(condition(.not(.isNull(text))) == .any)
    #expect(condition(.isNull(text)) == .equal(Self.text, [.null]))
  }
}

import TestSupport
import Testing

@testable import DflatEntities

@Suite struct ResultRowsTests {
  private typealias Rows = ResultRows<Int64>

  private func arrivals(_ keys: [Int64]) -> [Rows.Arrival] {
    keys.enumerated().map { .init(key: $1, change: Int32($0)) }
  }

  @Test("Rows leave, enter and are replaced in one pass")
  func merges() {
    var rows = Rows(keys: [1, 3, 5, 7], isComplete: true)
    let sources = rows.move(removing: [1, 3], inserting: arrivals([0, 3, 4, 9]))
    #expect(rows.keys == [0, 1, 3, 4, 5, 9])
    #expect(sources == [~0, 0, ~1, ~2, 2, ~3])
  }

  @Test("Random moves leave the same rows as a sorted set")
  func random() {
    var random = SeededGenerator.announced(for: "live rows")
    for _ in 0..<100 {
      var model = Set((0..<20).map { _ in Int64.random(in: 0..<40, using: &random) })
      var rows = Rows(keys: model.sorted(), isComplete: true)
      for _ in 0..<10 {
        let before = rows.keys
        let touched = Set((0..<8).map { _ in Int64.random(in: 0..<40, using: &random) }).sorted()
        let stay = touched.filter { _ in Bool.random(using: &random) }
        let gone = touched.compactMap { rows.position(of: $0) }
        let sources = rows.move(removing: gone, inserting: arrivals(stay))
        model.subtract(touched)
        model.formUnion(stay)
        #expect(rows.keys == model.sorted())
        #expect(sources.map { $0 >= 0 ? before[Int($0)] : stay[Int(~$0)] } == rows.keys)
      }
    }
  }

  @Test("An incomplete list takes in no rows after its last known row")
  func boundary() {
    var rows = Rows(keys: [2, 4, 6], isComplete: false)
    // 5 is before the last known row; unknown rows may precede 7.
    _ = rows.move(removing: [], inserting: arrivals([5, 7]))
    #expect(rows.keys == [2, 4, 5, 6] && !rows.isComplete)
    // The last row moves beyond the known range.
    _ = rows.move(removing: [3], inserting: arrivals([8]))
    #expect(rows.keys == [2, 4, 5])
    _ = rows.move(removing: [0, 1, 2], inserting: [])
    _ = rows.move(removing: [], inserting: arrivals([1]))
    #expect(rows.keys == [] && !rows.isComplete)
  }

  @Test("Trimming rows off a list makes it incomplete")
  func trimming() {
    var rows = Rows(keys: [1, 2, 3], isComplete: true)
    rows.trim(to: 3)
    #expect(rows.isComplete)
    rows.trim(to: 2)
    #expect(rows.keys == [1, 2] && !rows.isComplete)
  }

  @Test("A key's position is found only at or after the start of the search")
  func positions() {
    let keys = (0..<50).map { Int64($0) * 2 }
    let rows = Rows(keys: keys, isComplete: true)
    for start in [0, 1, 13, 49, 50] {
      for key in Int64(-1)...100 {
        let expected = keys.firstIndex(of: key).flatMap { $0 >= start ? $0 : nil }
        #expect(rows.position(of: key, from: start) == expected, "\(key) from \(start)")
      }
    }
  }
}

import TestSupport
import Testing

@testable import DflatEntities

@Suite struct NumberSetTests {
  @Test("A set of many numbers is indexed, at a bounded cost of each insertion")
  func cost() {
    var set = NumberSet()
    let allocations = Allocations.count { for number: Int32 in 0..<2_000 { set.insert(number) } }
    #expect(set.isIndexed)
    // A few for each insertion, rather than one for each number at each insertion.
    #expect(allocations < 20_000)
  }

  @Test("Insertions and removals leave the same numbers as in a Swift set")
  func random() {
    var random = SeededGenerator.announced(for: "number set")
    for limit: Int32 in [4, 12, 40, 300] {
      var set = NumberSet()
      var model: Set<Int32> = []
      for _ in 0..<2_000 {
        let number = Int32.random(in: 0..<limit, using: &random)
        if model.insert(number).inserted {
          set.insert(number)
        } else if Bool.random(using: &random) {
          model.remove(number)
          set.remove(number)
          set.remove(number)
        }
        #expect(set.count == model.count && set.isEmpty == model.isEmpty)
      }
      #expect(set.numbers.sorted() == model.sorted())
    }
  }
}

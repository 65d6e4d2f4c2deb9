import TestSupport
import Testing

@testable import DflatCore

@Suite struct OrderedBagTests {
  @Test("Elements keep their order while others are removed, and a token removes only once")
  func order() {
    var random = SeededGenerator.announced(for: "ordered bag")
    var bag = OrderedBag<Int>()
    var model: [(token: OrderedBag<Int>.Token, element: Int)] = []
    for element in 0..<2_000 {
      if model.isEmpty || Int.random(in: 0..<5, using: &random) < 3 {
        model.append((bag.append(element), element))
      } else {
        let (token, removed) = model.remove(at: .random(in: model.indices, using: &random))
        #expect(bag.remove(token) == removed)
        #expect(bag.remove(token) == nil)
      }
      #expect(bag.count == model.count && bag.isEmpty == model.isEmpty)
    }
    #expect(Array(bag) == model.map(\.element))
    for (token, _) in model.shuffled(using: &random) { bag.remove(token) }
    #expect(Array(bag) == [] && bag.isEmpty)
  }

  enum Order: CaseIterable, Sendable {
    case firstToLast, lastToFirst, random

    func arranged(_ tokens: [OrderedBag<Int>.Token]) -> [OrderedBag<Int>.Token] {
      switch self {
      case .firstToLast: return tokens
      case .lastToFirst: return tokens.reversed()
      case .random:
        var random = SeededGenerator.announced(for: "gaps")
        return tokens.shuffled(using: &random)
      }
    }
  }

  @Test("Removing n elements in any order closes the gaps a logarithmic number of times", arguments: Order.allCases)
  func gaps(order: Order) {
    var bag = OrderedBag<Int>()
    let tokens = order.arranged((0..<20_000).map { bag.append($0) })
    var compactions = 0
    var isTight = true
    for token in tokens {
      let before = bag.slotCount
      bag.remove(token)
      if bag.slotCount != before { compactions += 1 }
      isTight = isTight && bag.slotCount <= 2 * bag.count + 8
    }
    #expect(isTight)
    #expect(compactions <= 15)
  }

  @Test("A bag releases the memory of a burst of elements")
  func theMemoryOfABurstIsGivenBack() {
    var bag = OrderedBag<Int>()
    let tokens = (0..<100_000).map { bag.append($0) }
    for token in tokens.dropLast(10) { bag.remove(token) }
    #expect(Array(bag) == Array(99_990..<100_000))
    #expect(bag.capacity < 1_000)
  }
}

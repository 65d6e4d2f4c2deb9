import DequeModule
import TestSupport
import Testing

@testable import DflatCore

@Suite struct DequeTests {
  @Test("A queue of which elements are taken keeps its order, and releases the memory of a burst with the last one")
  func memoryOfABurst() {
    var queue = Deque(0..<10_000)
    for number in 0..<10_000 { #expect(queue.takeFirst() == number) }
    #expect(queue.takeFirst() == nil)
    // A queue that had kept its memory would have room for one more element.
    let allocations = Allocations.count { queue.append(1) }
    #expect(allocations > 0 || !Allocations.areCounted)
    #expect(queue.takeFirst() == 1)
  }
}

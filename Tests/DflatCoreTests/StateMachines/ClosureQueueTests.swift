import Testing

@testable import DflatCore

/// The number of closures that run side by side.
@Suite struct ClosureQueueTests {
  private var queue = ClosureQueue<Int>(maximum: 6)

  /// Adds closures, and returns the number that begin.
  private mutating func add(_ closures: Range<Int>) -> Int {
    closures.map { queue.add($0) }.count { $0.begins }
  }

  /// Begins closures that already count as running. Returns the number of stalls before each.
  private mutating func begin(_ count: Int) -> [Int] {
    (0..<count).compactMap { _ in queue.begin()?.stalls }
  }

  private mutating func look(after ended: Int) -> String {
    let (begins, next) = queue.look(after: ended)
    return "\(begins) \(next.map(String.init) ?? "nil")"
  }

  /// Ends closures. Returns true for each in whose place another one begins.
  private mutating func end(stallsBefore: Int...) -> [Bool] {
    stallsBefore.map { queue.end(stallsBefore: $0) }
  }

  @Test("As many closures begin as the limit allows, and each that ends makes room for one")
  mutating func order() {
    let first = (0..<6).map { queue.add($0) }
    #expect(first.map { $0.begins } == [true, true, true, true, false, false])
    // The first closure that waits asks for checks of the queue.
    #expect(first.map { $0.isToBeWatched } == [false, false, false, false, true, false])
    #expect((0..<4).map { _ in queue.begin()?.work } == [0, 1, 2, 3])
    #expect(end(stallsBefore: 0) == [true])
    #expect(begin(1) == [0])
    #expect(end(stallsBefore: 0) == [true])
    #expect(begin(1) == [0])
    #expect(end(stallsBefore: 0) == [false])
    let next = queue.add(6)
    #expect(next.begins && next.ended == 3)
  }

  @Test("Each check that finds a stall lets one more closure begin, up to the maximum")
  mutating func maximum() {
    #expect(add(0..<10) == 4)
    #expect(look(after: 0) == "true 0")
    #expect(look(after: 0) == "true 0")
    #expect(look(after: 0) == "false 0")
    #expect(add(10..<12) == 0)
    #expect(begin(6) == [2, 2, 2, 2, 2, 2])
  }

  @Test("A check after progress begins no closure, and a check of an empty queue is the last")
  mutating func progress() {
    #expect(add(0..<6) == 4)
    #expect(begin(4) == [0, 0, 0, 0])
    #expect(end(stallsBefore: 0) == [true])
    #expect(look(after: 0) == "false 1")
    #expect(begin(1) == [0])
    #expect(end(stallsBefore: 0) == [true])
    #expect(begin(1) == [0])
    #expect(look(after: 2) == "false nil")
    // The next closure that waits asks for checks again.
    let next = queue.add(6)
    #expect(!next.begins && next.isToBeWatched)
  }

  @Test("A stalled closure that ends makes room only if no more closures run than the limit")
  mutating func stalledClosuresEnd() {
    #expect(add(0..<9) == 4)
    #expect(begin(4) == [0, 0, 0, 0])
    #expect(look(after: 0) == "true 0")
    #expect(begin(1) == [1])
    // Two of the four stalled closures end: three of five are left, and one more begins.
    #expect(end(stallsBefore: 0, 0) == [false, true])
    #expect(begin(1) == [1])
    // The closure that began beyond the limit makes room like any other.
    #expect(end(stallsBefore: 1) == [true])
  }

  @Test("The limit returns to normal after all closures end, even if they began after the stalls")
  mutating func limitFalls() {
    #expect(add(0..<6) == 4)
    #expect(look(after: 0) == "true 0")
    #expect(look(after: 0) == "true 0")
    #expect(begin(6) == [2, 2, 2, 2, 2, 2])
    #expect(end(stallsBefore: 2, 2, 2, 2, 2, 2) == Array(repeating: false, count: 6))
    #expect(add(6..<16) == 4)
  }
}

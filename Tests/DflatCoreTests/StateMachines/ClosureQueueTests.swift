import Testing

@testable import DflatCore

/// How many closures run side by side.
@Suite struct ClosureQueueTests {
  private var queue = ClosureQueue<Int>(maximum: 6)

  /// Adds closures, and returns how many begin.
  private mutating func add(_ closures: Range<Int>) -> Int {
    closures.map { queue.add($0) }.count { $0.begins }
  }

  /// Closures that count as running begin; with the number of stalls before each.
  private mutating func begin(_ count: Int) -> [Int] {
    (0..<count).compactMap { _ in queue.begin()?.stalls }
  }

  private mutating func look(after ended: Int) -> String {
    let (begins, next) = queue.look(after: ended)
    return "\(begins) \(next.map(String.init) ?? "nil")"
  }

  /// Closures end; whether another one begins in the place of each.
  private mutating func end(stallsBefore: Int...) -> [Bool] {
    stallsBefore.map { queue.end(stallsBefore: $0) }
  }

  @Test("A few closures begin; each that ends makes room for one")
  mutating func order() {
    let first = (0..<6).map { queue.add($0) }
    #expect(first.map { $0.begins } == [true, true, true, true, false, false])
    // The first one that waits has the queue looked at.
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

  @Test("While none ends, one more begins at each look, up to the maximum")
  mutating func maximum() {
    #expect(add(0..<10) == 4)
    #expect(look(after: 0) == "true 0")
    #expect(look(after: 0) == "true 0")
    #expect(look(after: 0) == "false 0")
    #expect(add(10..<12) == 0)
    #expect(begin(6) == [2, 2, 2, 2, 2, 2])
  }

  @Test("None begins where one has ended since, and an empty queue is looked at no more")
  mutating func progress() {
    #expect(add(0..<6) == 4)
    #expect(begin(4) == [0, 0, 0, 0])
    #expect(end(stallsBefore: 0) == [true])
    #expect(look(after: 0) == "false 1")
    #expect(begin(1) == [0])
    #expect(end(stallsBefore: 0) == [true])
    #expect(begin(1) == [0])
    #expect(look(after: 2) == "false nil")
    // The next one that waits has it looked at anew.
    let next = queue.add(6)
    #expect(!next.begins && next.isToBeWatched)
  }

  @Test("When a stalled closure ends, it makes no room for another")
  mutating func stalledClosuresEnd() {
    #expect(add(0..<9) == 4)
    #expect(begin(4) == [0, 0, 0, 0])
    #expect(look(after: 0) == "true 0")
    #expect(begin(1) == [1])
    // Two of the four that stalled: of five, three are left, and one more begins.
    #expect(end(stallsBefore: 0, 0) == [false, true])
    #expect(begin(1) == [1])
    // The one that began beyond the limit makes room as any other.
    #expect(end(stallsBefore: 1) == [true])
  }

  @Test("When all have ended, the limit is what it was, also where closures had not begun when they stalled")
  mutating func limitFalls() {
    #expect(add(0..<6) == 4)
    #expect(look(after: 0) == "true 0")
    #expect(look(after: 0) == "true 0")
    #expect(begin(6) == [2, 2, 2, 2, 2, 2])
    #expect(end(stallsBefore: 2, 2, 2, 2, 2, 2) == Array(repeating: false, count: 6))
    #expect(add(6..<16) == 4)
  }
}

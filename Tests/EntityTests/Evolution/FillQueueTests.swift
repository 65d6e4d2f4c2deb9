import Testing

@testable import DflatCore

@Suite struct FillQueueTests {
  private let now = ContinuousClock.now
  private let a = FillQueue.Key(table: 1, path: "f4")
  private let b = FillQueue.Key(table: 1, path: "f6")

  @Test("The first that wants begins; the others take turns, a step each")
  func turns() {
    var queue = FillQueue()
    #expect(queue.want(a, now: now))
    #expect(!queue.want(b, now: now))
    #expect(!queue.want(a, now: now))
    #expect(queue.next == a)
    #expect(queue.finish(.more, now: now) == b)
    #expect(queue.finish(.more, now: now) == a)
    #expect(queue.finish(.done, now: now) == b)
    #expect(queue.finish(.done, now: now) == nil)
    #expect(!queue.isWanted(a) && !queue.isWanted(b))
    // Dropped since, and wanted anew.
    #expect(queue.want(a, now: now))
  }

  @Test("One that failed is left alone for a moment, and tried when it is wanted after that")
  func failure() {
    var queue = FillQueue()
    #expect(queue.want(a, now: now))
    #expect(!queue.hasFailed(a))
    #expect(queue.finish(.failed, now: now) == nil)
    #expect(queue.hasFailed(a))
    #expect(!queue.want(a, now: now))
    #expect(!queue.isWanted(a))
    // Others aren't held up.
    #expect(queue.want(b, now: now))
    #expect(!queue.want(a, now: now + FillQueue.pause))
    #expect(queue.finish(.done, now: now) == a)
    #expect(queue.finish(.done, now: now) == nil)
    #expect(!queue.hasFailed(a))
  }

  @Test("One that the file can't have is left alone for longer")
  func impossible() {
    var queue = FillQueue()
    #expect(queue.want(a, now: now))
    #expect(queue.finish(.impossible, now: now) == nil)
    #expect(!queue.want(a, now: now + FillQueue.pause))
    #expect(queue.want(a, now: now + FillQueue.longPause))
  }

  @Test("Values that were found twice are not looked for again, but a lost index is filled again")
  func duplicates() {
    var queue = FillQueue()
    #expect(queue.want(a, isComplete: true, now: now))
    #expect(queue.finish(.hasDuplicates, now: now) == nil)
    #expect(!queue.want(a, isComplete: true, now: now))
    #expect(queue.want(a, now: now))
  }
}

import Testing

@testable import DflatEntities

@Suite struct IndexFillQueueTests {
  private let now = ContinuousClock.now
  private let a = IndexFillQueue.Key(table: 1, path: "f4")
  private let b = IndexFillQueue.Key(table: 1, path: "f6")

  // The macro takes no mutating calls.
  private func wants(
    _ queue: inout IndexFillQueue, _ key: IndexFillQueue.Key, isComplete: Bool = false, now: ContinuousClock.Instant,
    _ begins: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let result = queue.want(key, isComplete: isComplete, now: now)
    #expect(result == begins, sourceLocation: sourceLocation)
  }

  private func finishing(
    _ queue: inout IndexFillQueue, _ outcome: IndexFillQueue.Outcome, _ next: IndexFillQueue.Key?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let result = queue.finish(outcome, now: now)
    #expect(result == next, sourceLocation: sourceLocation)
  }

  @Test("The first index that is wanted begins, and the others take turns, a step each")
  func turns() {
    var queue = IndexFillQueue()
    wants(&queue, a, now: now, true)
    wants(&queue, b, now: now, false)
    wants(&queue, a, now: now, false)
    #expect(queue.next == a)
    finishing(&queue, .more, b)
    finishing(&queue, .more, a)
    finishing(&queue, .done, b)
    finishing(&queue, .done, nil)
    #expect(!queue.isWanted(a) && !queue.isWanted(b))
    // An index that was dropped and is wanted again.
    wants(&queue, a, now: now, true)
  }

  @Test("An index whose filling failed is tried again only after a pause")
  func failure() {
    var queue = IndexFillQueue()
    wants(&queue, a, now: now, true)
    #expect(!queue.hasFailed(a))
    finishing(&queue, .failed, nil)
    #expect(queue.hasFailed(a))
    wants(&queue, a, now: now, false)
    #expect(!queue.isWanted(a))
    // Other indexes begin meanwhile.
    wants(&queue, b, now: now, true)
    wants(&queue, a, now: now + IndexFillQueue.pause, false)
    finishing(&queue, .done, a)
    finishing(&queue, .done, nil)
    #expect(!queue.hasFailed(a))
  }

  @Test("An index that the file can't have is tried again only after a longer pause")
  func impossible() {
    var queue = IndexFillQueue()
    wants(&queue, a, now: now, true)
    finishing(&queue, .impossible, nil)
    wants(&queue, a, now: now + IndexFillQueue.pause, false)
    wants(&queue, a, now: now + IndexFillQueue.longPause, true)
  }

  @Test("Values are compared once, but a lost index is filled again")
  func comparing() {
    var queue = IndexFillQueue()
    wants(&queue, a, isComplete: true, now: now, true)
    finishing(&queue, .compared, nil)
    wants(&queue, a, isComplete: true, now: now, false)
    wants(&queue, a, now: now, true)
  }
}

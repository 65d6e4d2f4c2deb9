import Testing

@testable import DflatKV

@Suite final class UncommittedWritesTests {
  private let writes = UncommittedWrites()

  /// Whether there are uncommitted writes, and whether some of them are queued.
  private var state: [Bool] {
    let (areAny, areQueued) = (writes.areAny, writes.areQueued)
    return [areAny, areQueued]
  }

  private func queue() -> Bool { writes.queue() }
  private func requeue(_ hasWrites: Bool) -> Bool { writes.requeue(hasWrites) }

  @Test("Writes are uncommitted from the first queued one to the end of their group") func group() {
    #expect(state == [false, false])
    #expect(queue() && !queue())
    #expect(state == [true, true])
    writes.take()
    #expect(state == [true, false])
    writes.end()
    #expect(state == [false, false])
  }

  @Test("Writes that come while a group has taken others are the first queued ones, and stay when the group ends")
  func meanwhile() {
    _ = queue()
    writes.take()
    #expect(queue())
    writes.end()
    #expect(state == [true, true])
  }

  @Test("Writes that are queued again are uncommitted all the time (A5)", arguments: [false, true])
  func queuedAgain(hasNewOnes: Bool) {
    _ = queue()
    writes.take()
    if hasNewOnes { _ = queue() }
    #expect(requeue(true) == !hasNewOnes)
    #expect(state == [true, true])
  }

  @Test("A group that took writes, all of which failed alone, leaves none to queue again") func nothingToQueueAgain() {
    _ = queue()
    writes.take()
    #expect(!requeue(false))
    #expect(state == [false, false])
  }
}

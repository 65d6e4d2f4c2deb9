import DflatCore
import TestSupport
import Testing

@Suite struct SubscriptionTests {
  /// A caller of `cancel()` relies on the cancellation when the call returns.
  ///
  ///     one thread:  cancel() ─ begins to end the subscription ─────────────────── ends it ─┤
  ///     another:                                       cancel() ─ ends it itself ─┤
  @Test("A subscription that another thread is cancelling is cancelled when cancel() returns")
  func twoCancel() throws {
    let first = Lock(true)
    let isOver = Lock(false)
    let begun = Gate("one thread is ending it")
    let other = Gate("the other one has cancelled")
    let subscription = WorkspaceSubscription {
      let isFirst = first.withLock { first in
        defer { first = false }
        return first
      }
      if isFirst {
        begun.open()
        try? other.wait()
      }
      isOver.withLock { $0 = true }
    }
    let thread = BackgroundThread { subscription.cancel() }
    try begun.wait()
    subscription.cancel()
    #expect(isOver.withLock { $0 })
    other.open()
    try thread.join()
  }
}

/// Who has the right to use the write connection, and who is next: first come, first served.
/// A state machine without locks or threads.
package struct BatonQueue<Waiter> {
  package private(set) var isHeld = false
  private var waiters = FIFO<Waiter>()

  package init() {}

  package var firstWaiter: Waiter? { waiters.first }

  /// True when the baton was free and is now the caller's; else `waiter` is in the queue.
  package mutating func take(orQueue waiter: () -> Waiter) -> Bool {
    if isHeld {
      waiters.append(waiter())
      return false
    }
    isHeld = true
    return true
  }

  /// Queues behind the holder, who is the caller.
  package mutating func queue(_ waiter: Waiter) {
    precondition(isHeld, "Only the holder of the baton queues others behind itself.")
    waiters.append(waiter)
  }

  /// Hands the baton on: to the waiter that is returned, or to nobody.
  package mutating func pass() -> Waiter? {
    precondition(isHeld, "A baton that nobody holds can't be passed.")
    if let next = waiters.popFirst() { return next }
    isHeld = false
    return nil
  }
}

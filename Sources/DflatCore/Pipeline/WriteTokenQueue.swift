import DequeModule

/// The owner of the write token, which is the right to use the write connection, and the waiters for it, first come,
/// first served. A state machine without locks or threads.
package struct WriteTokenQueue<Waiter> {
  package private(set) var isHeld = false
  private var waiters = Deque<Waiter>()

  package init() {}

  package var firstWaiter: Waiter? { waiters.first }

  /// Takes the write token and returns true if it is free. Otherwise appends `waiter` to the queue and returns false.
  package mutating func take(orQueue waiter: () -> Waiter) -> Bool {
    if isHeld {
      waiters.append(waiter())
      return false
    }
    isHeld = true
    return true
  }

  /// Appends a waiter. The caller holds the write token.
  package mutating func queue(_ waiter: Waiter) {
    precondition(isHeld, "Only the holder of the write token can queue others behind itself.")
    waiters.append(waiter)
  }

  /// Passes the write token to the next waiter and returns that waiter, or frees the token and returns nil.
  package mutating func pass() -> Waiter? {
    precondition(isHeld, "A write token that nobody holds can't be passed on.")
    if let next = waiters.takeFirst() { return next }
    isHeld = false
    return nil
  }
}

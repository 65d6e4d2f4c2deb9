/// One subscription's callbacks, until it is cancelled or ends.
package final class ObserverCallbacks<Change>: Sendable {
  private struct Both {
    let handler: @Sendable (Change) -> Void
    let onEnd: @Sendable () -> Void
  }

  /// Whoever delivers holds the core.
  private unowned(unsafe) let core: WorkspaceCore
  private let both: Lock<Both?>

  package init(
    in core: WorkspaceCore, handler: @escaping @Sendable (Change) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    self.core = core
    both = Lock(Both(handler: handler, onEnd: onEnd))
  }

  /// Calls the handler, unless the subscription was cancelled before. Nobody waits for it: a canceller may hold what the
  /// handler waits for. So one call that was taken up before is made after `cancel()` has returned.
  package func deliver(_ change: Change) {
    guard let handler = both.withLock({ $0?.handler }) else { return }
    Failpoint.callbackTaken.reach(in: core)
    handler(change)
  }

  /// True the first time. What the callbacks hold is released here, on the canceller's thread: an observer itself may be
  /// released by whoever publishes, who holds locks (A11).
  package func cancel() -> Bool { take() != nil }

  /// Nothing more comes: the workspace is closed, or what was observed is gone.
  package func end() { take()?.onEnd() }

  private func take() -> Both? {
    both.withLock { both in
      defer { both = nil }
      return both
    }
  }
}

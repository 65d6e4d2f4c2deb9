/// The callbacks of one subscription, until it is cancelled or ends.
package final class ObserverCallbacks<Change>: Sendable {
  private struct Both {
    let handler: @Sendable (Change) -> Void
    let onEnd: @Sendable () -> Void
  }

  /// The code that delivers to this object holds the workspace.
  private unowned(unsafe) let workspace: WorkspaceIdentity
  private let both: Lock<Both?>

  package init(
    in workspace: WorkspaceIdentity, handler: @escaping @Sendable (Change) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.workspace = workspace
    both = Lock(Both(handler: handler, onEnd: onEnd))
  }

  /// Calls the handler, unless the subscription was cancelled. `cancel()` doesn't wait for the call, because its caller
  /// may hold a resource that the handler waits for. So one call that was about to begin may run after `cancel()` has
  /// returned.
  package func deliver(_ change: Change) {
    guard let handler = both.withLock({ $0?.handler }) else { return }
    Failpoint.callbackTaken.reach(in: workspace)
    handler(change)
  }

  /// Releases the callbacks. Returns true the first time. Their captures are released here, on the canceller's thread,
  /// because the observer itself may be released by a publisher that holds locks (A11).
  package func cancel() -> Bool { take() != nil }

  /// Ends the subscription, because the workspace is closed or the observed object is gone.
  package func end() { take()?.onEnd() }

  private func take() -> Both? {
    both.withLock { both in
      defer { both = nil }
      return both
    }
  }
}

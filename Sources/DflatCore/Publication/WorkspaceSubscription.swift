import Synchronization

/// A subscription. Keep it: releasing it cancels.
///
///     let subscription = workspace.dictionary.subscribe("volume", of: Double.self) { print($0) }
///     …
///     subscription.cancel()
///
/// May be cancelled from any thread, from its own callback too; no callback begins after `cancel()` has returned.
/// One that runs already on another thread goes on to its end.
public final class WorkspaceSubscription: Sendable {
  private let onCancel: Lock<(@Sendable () -> Void)?>

  package init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = Lock(onCancel) }

  deinit { cancel() }

  /// Ends the subscription. Harmless when it has ended.
  public func cancel() {
    let action = onCancel.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }
}

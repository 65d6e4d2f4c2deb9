import Synchronization

/// A subscription. Keep it: releasing it cancels.
///
///     let subscription = workspace.dictionary.subscribe("volume", of: Double.self) { print($0) }
///     …
///     subscription.cancel()
///
/// May be cancelled, or released, on any thread, under any lock and in its own callback: ``cancel()`` waits for nothing.
public final class WorkspaceSubscription: Sendable {
  private let onCancel: Lock<(@Sendable () -> Void)?>

  /// - Parameter onCancel: Ends the subscription; may be called again while and after it does.
  package init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = Lock(onCancel) }

  deinit { cancel() }

  /// Ends the subscription. Harmless when it has ended, or another thread is ending it.
  ///
  ///     subscription.cancel()
  ///
  /// It returns at once, as Combine's `cancel()` does: nothing is taken up for the handler from then on, but a call that
  /// another thread had taken up before, one at most, may still begin or be running. If what the handler uses must not
  /// be touched any more, cancel in a callback or a completion handler of the workspace: on its delivery queue no other
  /// callback is running, and none of this subscription's follows. What the handler captured is released here, or by the
  /// call that is still running.
  public func cancel() {
    // Taken out afterwards: another thread's call, which returns first, must not return before the handler is gone.
    onCancel.withLock { $0 }?()
    _ = onCancel.withLock { $0.take() }
  }
}

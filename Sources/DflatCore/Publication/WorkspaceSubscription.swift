import Synchronization

/// A subscription. Keep a reference to it: releasing it cancels it.
///
///     let subscription = workspace.dictionary.subscribe("volume", of: Double.self) { print($0) }
///     …
///     subscription.cancel()
///
/// It can be canceled and released on any thread, under any lock, and in its own callback: ``cancel()`` doesn't block.
public final class WorkspaceSubscription: Sendable {
  private struct Cancellation {
    var action: (@Sendable () -> Void)?
  }

  private let cancellation: Lock<Cancellation>

  /// - Parameter onCancel: Ends the subscription. May be called again during and after an earlier call.
  package init(onCancel: @escaping @Sendable () -> Void) { cancellation = Lock(Cancellation(action: onCancel)) }

  deinit { cancel() }

  /// Ends the subscription. Harmless if it has already ended, or another thread is ending it.
  ///
  ///     subscription.cancel()
  ///
  /// Like Combine's `cancel()`, it returns at once. No new call of the handler is scheduled from then on, but one call
  /// that another thread already picked up may still start or be running. If the handler's resources must not be used
  /// after the cancellation, cancel in a callback or a completion handler on the workspace's delivery queue: no other
  /// callback runs there meanwhile, and the handler isn't called again. This excludes the handler of an `.initial` value
  /// and the first run of an observation, which run on the subscribing thread: a callback that began before may still
  /// run beside them. The call releases the handler's captured values, unless a call of the handler is still running and
  /// releases them when it ends.
  public func cancel() {
    // In a forked child, a thread that exists only in the parent may hold the lock.
    guard ForkGuard.isOriginal else { return }
    // Drop the closure only afterwards: a second thread's call, which returns first, must not return before the handler
    // is gone.
    cancellation.withLock(\.action)?()
    _ = cancellation.withLock { $0.action.take() }
  }
}

/// One subscription of a `WorkspaceObservation`.
///
/// Its runs don't overlap: the delivery queue starts nothing during the first one, and runs the others. The value that
/// was delivered last belongs to the run in progress; all other variables are behind locks.
final class ValueObserver<Value: Sendable>: ReadObserver, @unchecked Sendable {  // guarded as stated above
  struct Callbacks {
    let read: @Sendable () throws -> Value
    let isSame: @Sendable (Value, Value) -> Bool
    let handler: @Sendable (Value) -> Void
    let onEnd: @Sendable ((any Error)?) -> Void
  }

  /// The core refers to the observer until the subscription is cancelled or ends.
  private let core: WorkspaceCore
  private let callbacks: Lock<Callbacks?>
  private var delivered: Value?

  init(in core: WorkspaceCore, _ callbacks: Callbacks) {
    self.core = core
    self.callbacks = Lock(callbacks)
    super.init()
  }

  /// Delivers the first value on this thread. No callback starts meanwhile, so that no later value precedes it (A4).
  func start() -> WorkspaceSubscription {
    guard core.isOpen, !core.isForked else {
      end()
      return WorkspaceSubscription {}
    }
    core.openForObserving()
    Failpoint.observerBeforeHolding.reach(in: core)
    core.delivery.holding(for: core) {
      if core.readObservers.withLock({ $0.add(self) }) { runAgain() } else { end() }
    }
    return WorkspaceSubscription { [self] in cancel() }
  }

  /// Runs the closure, and delivers its value if that is new.
  override func runAgain() {
    guard let callbacks = callbacks.withLock({ $0 }) else { return }
    do {
      // Nil once the readers are closed, when the closing of the workspace ends the observation, and while a rerun
      // finds the file locked.
      guard let value = try core.tracking(self, isRerun: delivered != nil, callbacks.read) else { return }
      if let previous = delivered, callbacks.isSame(previous, value) { return }
      delivered = value
      deliver(value)
    } catch { fail(error) }
  }

  /// Calls the handler, unless the subscription was cancelled. Like `ObserverCallbacks`, it doesn't make `cancel()`
  /// wait for the call.
  private func deliver(_ value: Value) {
    guard let handler = callbacks.withLock({ $0?.handler }) else { return }
    Failpoint.callbackTaken.reach(in: core)
    handler(value)
  }

  // MARK: End

  private func fail(_ error: any Error) {
    leave()
    take()?.onEnd(error)
  }

  /// Runs where no run is in progress: on the delivery queue, or instead of the first run.
  override func end() {
    delivered = nil
    take()?.onEnd(nil)
  }

  /// Releases the callbacks on this thread, and the rest on the delivery queue, where no run is in progress.
  private func cancel() {
    guard !core.isForked, take() != nil else { return }
    core.delivery.enqueue(for: core) { [self] in leave() }
  }

  private func leave() {
    delivered = nil
    core.readObservers.withLock { $0.remove(self) }
    core.stopTracking(for: self)
  }

  private func take() -> Callbacks? {
    callbacks.withLock { callbacks in
      defer { callbacks = nil }
      return callbacks
    }
  }
}

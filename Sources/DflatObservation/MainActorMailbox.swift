import DflatCore

/// Carries values from any thread to the main actor. Of the values that wait there, only the newest is kept, so their
/// order stays that of `offer(_:)`.
final class MainActorMailbox<Value: Sendable>: Sendable {
  private struct State {
    var waiting: Value?
    /// True while a task that delivers is queued.
    var isDue = false
    /// True while the receiver runs.
    var isDelivering = false
    /// Nil until the mailbox is open.
    var receiver: (@MainActor @Sendable (Value) -> Void)?

    /// Takes the waiting value, unless a delivery in progress will.
    mutating func begin() -> (Value, @MainActor @Sendable (Value) -> Void)? {
      guard !isDelivering, let receiver, let value = waiting else { return nil }
      waiting = nil
      isDelivering = true
      return (value, receiver)
    }
  }

  private let state = Lock(State())
  private let merge: @Sendable (_ waiting: Value, _ value: Value) -> Value

  /// - Parameter merge: Returns the value to deliver in place of a waiting one and its successor. Runs under a lock, so
  ///   it must not call code of the program (A11).
  init(merging merge: @escaping @Sendable (_ waiting: Value, _ value: Value) -> Value = { $1 }) {
    self.merge = merge
  }

  /// Delivers a value soon, unless the next one replaces it. May be called on any thread.
  func offer(_ value: Value) {
    let (replaced, schedules) = state.withLock { state -> (Value?, Bool) in
      let replaced = state.waiting
      state.waiting = replaced.map { merge($0, value) } ?? value
      let schedules = state.receiver != nil && !state.isDue
      if schedules { state.isDue = true }
      return (replaced, schedules)
    }
    if schedules { Task { @MainActor in self.deliver() } }
    withExtendedLifetime(replaced) {}  // released under no lock (A11)
  }

  /// Delivers the waiting value, if any, before it returns, and all later values.
  @MainActor func open(_ receiver: @escaping @MainActor @Sendable (Value) -> Void) {
    state.withLock { $0.receiver = receiver }
    deliver()
  }

  /// Delivers the waiting value, if any. In a call of the receiver, which may run the main run loop, this leaves the
  /// value to the delivery in progress: the receiver would store it before the older one.
  @MainActor func deliver() {
    var next = state.withLock { state in
      state.isDue = false
      return state.begin()
    }
    while let (value, receiver) = next {
      receiver(value)
      next = state.withLock { state in
        state.isDelivering = false
        return state.isDue ? nil : state.begin()
      }
    }
  }
}

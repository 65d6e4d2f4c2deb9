import Dispatch

/// A value that one thread sets once, and one thread waits for.
///
/// If the value is set before the wait, which is the common case, no semaphore is needed.
package final class Promise<Value: Sendable>: @unchecked Sendable {  // `state` is guarded by `lock`
  private enum State {
    case empty
    case awaited(DispatchSemaphore)
    case fulfilled(Value)
  }

  private let lock = RawLock()
  private var state = State.empty

  package init() {}

  /// Sets the value, and wakes the thread that waits for it.
  package func fulfill(_ value: Value) {
    lock.lock()
    let waiter: DispatchSemaphore? = if case .awaited(let semaphore) = state { semaphore } else { nil }
    state = .fulfilled(value)
    lock.unlock()
    waiter?.signal()
  }

  /// Blocks until the value is set, and returns it. Call this once.
  package func wait() -> Value {
    let found = valueOrSemaphore()
    if let value = found.value { return value }
    found.semaphore?.wait()
    guard let value = valueOrSemaphore().value else { preconditionFailure("A promise was signaled without a value.") }
    return value
  }

  /// Returns the value, or else the semaphore to wait for.
  private func valueOrSemaphore() -> (value: Value?, semaphore: DispatchSemaphore?) {
    lock.lock()
    defer { lock.unlock() }
    switch state {
    case .fulfilled(let value): return (value, nil)
    case .awaited(let semaphore): return (nil, semaphore)
    case .empty:
      let semaphore = DispatchSemaphore(value: 0)
      state = .awaited(semaphore)
      return (nil, semaphore)
    }
  }
}

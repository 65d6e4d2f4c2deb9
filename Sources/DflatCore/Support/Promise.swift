import Dispatch

/// A value that one thread sets once and one thread waits for.
package final class Promise<Value: Sendable>: Sendable {
  private let value = Lock<Value?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func fulfill(_ value: Value) {
    self.value.withLock { $0 = value }
    semaphore.signal()
  }

  /// Waits for the value. Called once.
  package func wait() -> Value {
    semaphore.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("A promise was signalled without a value.") }
    return value
  }
}

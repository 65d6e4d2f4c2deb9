import Dispatch
import Synchronization

/// Counts deliveries to observers, and waits until there is one more for each observer.
final class Deliveries: Sendable {
  private let expected: Int
  private let counts = Mutex((all: 0, wrong: 0))
  private let complete = DispatchSemaphore(value: 0)

  init(_ expected: Int) { self.expected = expected }

  func add(_ isRight: Bool) {
    let isLast = counts.withLock { counts in
      counts.all += 1
      if !isRight { counts.wrong += 1 }
      return counts.all.isMultiple(of: expected)
    }
    if isLast { complete.signal() }
  }

  func wait() throws {
    guard complete.wait(timeout: .now() + .seconds(60)) == .success else {
      throw BenchmarkFailure("\(counts.withLock { $0.all % expected }) of \(expected) observers were told")
    }
    guard counts.withLock({ $0.wrong }) == 0 else { throw BenchmarkFailure("an observer was told something wrong") }
  }
}

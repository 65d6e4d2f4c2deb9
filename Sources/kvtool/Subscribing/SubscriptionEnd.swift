import Dispatch
import Synchronization

/// The end of a subscription, which several things may bring about; the first one counts.
final class SubscriptionEnd: Sendable {
  enum Outcome: Sendable {
    case done
    case failed(ToolError)
  }

  private struct State {
    var outcome: Outcome?
    var lineCount = 0
  }

  private let state = Mutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  var isReached: Bool {
    state.withLock { $0.outcome != nil }
  }

  func reach(_ outcome: Outcome) {
    let isFirst = state.withLock { state in
      defer { state.outcome = state.outcome ?? outcome }
      return state.outcome == nil
    }
    if isFirst {
      semaphore.signal()
    }
  }

  /// Counts a printed line and returns how many there are.
  func countLine() -> Int {
    state.withLock { state in
      state.lineCount += 1
      return state.lineCount
    }
  }

  /// Waits for the end, at most so long; throws the error that it came with.
  func wait(seconds: Double?) throws {
    let deadline = seconds.map { DispatchTime.now() + $0 } ?? .distantFuture
    _ = semaphore.wait(timeout: deadline)
    reach(.done)
    if case .failed(let error) = state.withLock({ $0.outcome }) {
      throw error
    }
  }
}

import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The end of a subscription, which several things may bring about; the first one counts.
///
/// It may come before the subscription has begun, as opening a file can take long. Then the process ends all the same.
final class SubscriptionEnd: Sendable {
  enum Outcome: Sendable {
    case done
    case failed(ToolError)
  }

  private struct State {
    var outcome: Outcome?
    var lineCount = 0
    /// True from when somebody waits for the end.
    var isAwaited = false
  }

  /// How long the beginning of a subscription that has ended already may go on.
  private static let patience = DispatchTimeInterval.seconds(1)

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
      // A queue of its own: the others' threads may all be waiting for what takes so long.
      DispatchQueue(label: "kvtool.end").asyncAfter(deadline: .now() + Self.patience) { [self] in
        if !state.withLock({ $0.isAwaited }) { _exit(ExitReason.done.rawValue) }
      }
    }
  }

  /// Ends the subscription after a time that begins now.
  func reach(afterSeconds seconds: Double) {
    DispatchQueue(label: "kvtool.duration").asyncAfter(deadline: .now() + seconds) { [self] in reach(.done) }
  }

  /// Counts a printed line and returns how many there are.
  func countLine() -> Int {
    state.withLock { state in
      state.lineCount += 1
      return state.lineCount
    }
  }

  /// Waits for the end; throws the error that it came with.
  func wait() throws {
    state.withLock { $0.isAwaited = true }
    semaphore.wait()
    if case .failed(let error) = state.withLock({ $0.outcome }) {
      throw error
    }
  }
}

import DflatKV
import DflatSupport
import Dispatch
import Synchronization

/// The end of a subscription. Several causes can end it; the first one counts.
///
/// The end may come before the subscription has begun, since opening a file can take long. The process then ends all
/// the same.
final class SubscriptionEnd: Sendable {
  enum Outcome: Sendable {
    case done
    case failed(ToolError)
  }

  private struct State {
    var outcome: Outcome?
    var lineCount = 0
    /// True once the subscription has begun.
    var hasBegun = false
  }

  /// Time that startup may still take after the subscription has ended.
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
      // Use a separate queue: the threads of the others may all be blocked by the slow startup.
      DispatchQueue(label: "kvtool.end").asyncAfter(deadline: .now() + Self.patience) { [self] in
        if !state.withLock({ $0.hasBegun }) { Self.exit(outcome) }
      }
    }
  }

  /// Ends the process as the command would end with this outcome.
  private static func exit(_ outcome: Outcome) -> Never {
    switch outcome {
    case .done: _exit(ToolExitStatus.done.rawValue)
    case .failed(let error):
      StandardError.write(message: error.message)
      _exit(error.status.rawValue)
    }
  }

  /// Ends the subscription after the given time from now.
  func reach(afterSeconds seconds: Double) {
    DispatchQueue(label: "kvtool.duration").asyncAfter(deadline: .now() + seconds) { [self] in reach(.done) }
  }

  /// Runs a part of the subscription unless it has ended. A failure ends it; a closed output ends it without an error.
  func reaching(_ body: () throws -> Void) {
    if isReached { return }
    do { try body() } catch let error as WorkspaceError {
      reach(.failed(ToolError(error)))
    } catch let error as ToolError {
      reach(.failed(error))
    } catch {
      reach(.done)
    }
  }

  /// Counts a printed line and returns the number of lines so far.
  func countLine() -> Int {
    state.withLock { state in
      state.lineCount += 1
      return state.lineCount
    }
  }

  /// Notes that the file is open, and the first event is being delivered: from then on, the end lets a running command
  /// of `--exec` finish.
  func begin() {
    state.withLock { $0.hasBegun = true }
  }

  /// Blocks the calling thread until the subscription ends.
  ///
  /// - Throws: The ``ToolError`` of a failed end.
  func wait() throws {
    begin()
    semaphore.wait()
    if case .failed(let error) = state.withLock({ $0.outcome }) {
      throw error
    }
  }
}

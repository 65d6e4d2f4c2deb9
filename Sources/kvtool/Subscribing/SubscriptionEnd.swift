import DflatKV
import DflatSupport
import Dispatch
import Synchronization

/// The end of a subscription. Several causes can end it; the first one counts.
///
/// The end may come while the file is being opened, which can take long, or while an event is written to a pipe that
/// nobody reads. The process then ends all the same. Only a running command of `--exec` is waited for.
final class SubscriptionEnd: Sendable {
  enum Outcome: Sendable {
    case done
    case failed(ToolError)
  }

  private struct State {
    var outcome: Outcome?
    var lineCount = 0
    /// True while a command of `--exec` runs.
    var isRunningCommand = false
  }

  /// Time that everything else may still take after the end, or after the command of `--exec` that was running then.
  private static let patience = DispatchTimeInterval.seconds(1)
  private static let hasCommandEnded = Atomic(false)

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
      exitAfterPatience(outcome)
    }
  }

  private func exitAfterPatience(_ outcome: Outcome) {
    // Use a separate queue: the threads of the others may all be blocked by the slow startup.
    DispatchQueue(label: "kvtool.end").asyncAfter(deadline: .now() + Self.patience) { [self] in
      if state.withLock({ $0.isRunningCommand }) || Self.hasCommandEnded.load(ordering: .relaxed) { return }
      Self.exit(outcome)
    }
  }

  /// Notes that kvtool's command has returned. What is left, such as leaving a cluster, may take its time.
  static func noteEndOfCommand() {
    hasCommandEnded.store(true, ordering: .relaxed)
  }

  /// Ends the process as the command would end with this outcome.
  private static func exit(_ outcome: Outcome) -> Never {
    switch outcome {
    case .done: _exit((OpenDatabase.reportedStatus ?? .done).rawValue)
    case .failed(let error):
      StandardError.write(message: error.message)
      _exit((OpenDatabase.reportedStatus ?? error.status).rawValue)
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

  /// Runs a command of `--exec`, which the end lets finish.
  func lettingFinish(_ command: () throws -> Void) rethrows {
    state.withLock { $0.isRunningCommand = true }
    defer {
      let outcome = state.withLock { state in
        state.isRunningCommand = false
        return state.outcome
      }
      if let outcome { exitAfterPatience(outcome) }
    }
    try command()
  }

  /// Blocks the calling thread until the subscription ends.
  ///
  /// - Throws: The status of an error that was only reported, else the ``ToolError`` of a failed end, which is reported if
  ///   it isn't thrown.
  func wait() throws {
    semaphore.wait()
    var result = Result<Void, any Error>.success(())
    if case .failed(let error) = state.withLock({ $0.outcome }) { result = .failure(error) }
    try OpenDatabase.requireNoReportedError(after: result)
  }
}

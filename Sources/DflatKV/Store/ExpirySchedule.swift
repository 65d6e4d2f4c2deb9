import DflatCore
import Dispatch

/// Knows when the next value expires, and has a timer run then.
///
/// Knows the values that this process has written or read, and the earliest one in the file when it was first read. A timer
/// can't be taken back: one that is no longer the next one's does nothing.
final class ExpirySchedule: Sendable {
  /// The longest time between two looks at the clock, in milliseconds: it may be set, or the computer may sleep.
  static let longestWait: Int64 = 60_000
  /// The time in milliseconds that a process leaves to the one that wrote a value, so that not all remove it.
  static let grace: Int64 = 500
  /// The time in milliseconds after which a removal that failed is tried again.
  static let pauseAfterFailure: Int64 = 10_000

  private struct State {
    var next: Int64?
    var hasFailed = false
    /// The workspace, from the first timer to its end. The timers keep the schedule alive, and not the workspace; a weak
    /// reference would make counting all others slower.
    var core: WorkspaceCore?
  }

  private let state = Lock(State())

  /// Has a workspace remove expired values at an instant, unless it does so earlier.
  func want(at milliseconds: Int64, for core: WorkspaceCore) {
    let isFirst = state.withLock { state in
      if let next = state.next, next <= milliseconds { return false }
      state.next = milliseconds
      state.core = core
      return true
    }
    if isFirst { startTimer(for: milliseconds, by: core.options.wallClock) }
  }

  private func startTimer(for milliseconds: Int64, by clock: WallClock) {
    let rest = milliseconds.subtractingReportingOverflow(clock.now()).partialValue
    let delay = DispatchTimeInterval.milliseconds(Int(min(max(rest, 0), Self.longestWait)))
    TimerQueue.run(after: delay) { [self] in timerFired(for: milliseconds) }
  }

  private func timerFired(for milliseconds: Int64) {
    guard let core = state.withLock({ $0.next == milliseconds ? $0.core : nil }), core.isOpen, !core.isForked else {
      return
    }
    if core.options.wallClock.now() < milliseconds {
      return startTimer(for: milliseconds, by: core.options.wallClock)
    }
    let isDue = state.withLock { state in
      guard state.next == milliseconds else { return false }
      state.next = nil
      return true
    }
    if isDue { DictionaryStore.of(core).removeExpired { _ in } }
  }

  /// Forgets the workspace, which is closed.
  func end() {
    let core = state.withLock { state in
      defer { state = State() }
      return state.core
    }
    withExtendedLifetime(core) {}
  }

  /// Notes whether a removal has failed. Returns true for the first failure of several.
  func note(hasFailed: Bool) -> Bool {
    state.withLock { state in
      defer { state.hasFailed = hasFailed }
      return hasFailed && !state.hasFailed
    }
  }
}

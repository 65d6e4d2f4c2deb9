import DflatCore
import Dispatch

/// Knows when the next value expires, and has it removed then.
///
/// Knows the values that this process has written or read, and the earliest one in the file when it was first read. A timer
/// can't be taken back, so a new one is only started if none runs out early enough.
final class ExpirySchedule: Sendable {
  /// The longest time between two looks at the clock, in milliseconds: it may be set, or the computer may sleep.
  static let longestWait: Int64 = 60_000
  /// The time in milliseconds that a process which has written no value that expires leaves to those that have, so that
  /// not all remove a value at once.
  static let grace: Int64 = 500
  /// The least time in milliseconds between two removals: what expires meanwhile is removed together.
  static let pause: Int64 = 50
  /// The time in milliseconds after which a removal that failed, or the first look into the file, is tried again.
  static let pauseAfterFailure: Int64 = 10_000

  private struct State {
    /// The next removal; nil if none is wanted.
    var next: Int64?
    /// The times at which timers run out, by a clock that nobody sets.
    var timers: [DispatchTime] = []
    var hasFailed = false
    /// The number of removals in progress, and the earliest instant that was wanted meanwhile. The end of a removal decides
    /// when the next one comes: one whose COMMIT fails finds the values that it was to remove.
    var removals = 0
    var wanted: Int64?
    /// The workspace, from the first timer to its end. The timers keep the schedule alive, and not the workspace; a weak
    /// reference would make counting all others slower.
    var core: WorkspaceCore?
  }

  private let state = Lock(State())

  /// The instant of the next removal; nil if none is wanted. For tests.
  var nextRemoval: Int64? { state.withLock { $0.next } }

  /// The number of timers that haven't run out. For tests.
  var timerCount: Int { state.withLock { $0.timers.count } }

  /// Has a workspace remove expired values at an instant, unless it does so earlier.
  func want(at milliseconds: Int64, for core: WorkspaceCore) {
    let clock = core.options.wallClock
    let isEarlier = state.withLock { state in
      state.core = core
      if state.removals > 0 {
        state.wanted = min(state.wanted ?? milliseconds, milliseconds)
        return false
      }
      if let next = state.next, next <= milliseconds { return false }
      state.next = milliseconds
      return true
    }
    if isEarlier { startTimer(for: milliseconds, at: clock.now()) }
  }

  private func startTimer(for milliseconds: Int64, at now: Int64) {
    let wait = min(max(milliseconds.subtractingReportingOverflow(now).partialValue, 0), Self.longestWait)
    let time = DispatchTime.now() + .milliseconds(Int(wait))
    let isNeeded = state.withLock { state in
      if state.timers.contains(where: { $0 <= time }) { return false }
      state.timers.append(time)
      return true
    }
    if isNeeded { TimerQueue.run(after: .milliseconds(Int(wait))) { [self] in timerFired(at: time) } }
  }

  private func timerFired(at time: DispatchTime) {
    let (core, next) = state.withLock { state in
      if let index = state.timers.firstIndex(of: time) { state.timers.remove(at: index) }
      return (state.core, state.next)
    }
    guard let core, let next, core.isOpen, !core.isForked else { return }
    let now = core.options.wallClock.now()
    if now < next { return startTimer(for: next, at: now) }
    let isDue = state.withLock { state in
      guard state.next == next else { return false }
      state.next = nil
      return true
    }
    // Reading the file may take a while.
    if isDue { Threads.run { DictionaryStore.of(core).removeExpiredIfAny() } }
  }

  /// Begins a removal.
  func beginRemoval() { state.withLock { $0.removals += 1 } }

  /// Ends a removal. Returns the earliest instant that was wanted meanwhile, unless another removal is in progress.
  func endRemoval() -> Int64? {
    state.withLock { state in
      state.removals -= 1
      guard state.removals == 0 else { return nil }
      defer { state.wanted = nil }
      return state.wanted
    }
  }

  /// Notes whether a removal has failed. Returns true for the first failure of several.
  func note(hasFailed: Bool) -> Bool {
    state.withLock { state in
      defer { state.hasFailed = hasFailed }
      return hasFailed && !state.hasFailed
    }
  }

  /// Forgets the workspace, which is closed.
  func end() {
    let core = state.withLock { state in
      defer { state = State() }
      return state.core
    }
    withExtendedLifetime(core) {}
  }
}

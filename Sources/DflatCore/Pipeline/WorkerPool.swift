import Dispatch

/// Where transactions' closures begin: on a few threads, or on the target queue, first come, first served.
///
/// A closure that meets another at the baton blocks its thread until it has it. So only a few begin side by side; the others
/// wait as work. Who holds the baton needs none of these threads (`Pipeline.handBaton`).
///
/// A closure may also wait for something that another one does, which has not begun. So whenever closures are ready and for
/// a while none has ended, one more begins, for as long as one of those runs that ran then.
final class WorkerPool: Sendable {
  typealias Work = @Sendable () -> Void

  /// Closures that run side by side, while they end.
  static let limit = 4
  /// All that run, whether they end or not. The threads of a target queue are few, and others need them.
  private var maximum: Int { target == nil ? 256 : 32 }
  private static let stallTime = DispatchTimeInterval.milliseconds(100)

  private struct State {
    var ready = FIFO<Work>()
    var running = 0
    /// How many may run beyond the limit.
    var extra = 0
    var stalls = 0
    var ended = 0
    var isWatched = false

    var mayBegin: Bool { running < limit + extra }

    /// The next closure for one that counts as running, with the number of stalls before it.
    mutating func begin() -> (work: Work, stalls: Int)? {
      if let work = ready.popFirst() { return (work, stalls) }
      leave()
      return nil
    }

    /// A closure ended. True when another one may begin in its place.
    mutating func end(stallsBefore: Int) -> Bool {
      ended += 1
      if stallsBefore < stalls, extra > 0 { extra -= 1 }
      if !ready.isEmpty, running <= limit + extra { return true }
      leave()
      return false
    }

    private mutating func leave() {
      running -= 1
      // Those that were stalled have ended.
      if running == 0 { extra = 0 }
    }
  }

  private unowned let core: WorkspaceCore
  private let state = Lock(State())
  private let target: DispatchQueue?

  init(core: WorkspaceCore, target: DispatchQueue?) {
    self.core = core
    self.target = target
  }

  /// True when the closures run on a queue of the user's.
  var hasTarget: Bool { target != nil }

  /// Runs `work` when its turn has come.
  func run(_ work: @escaping Work) {
    let (begins, isToBeWatched) = state.withLock { state in
      state.ready.append(work)
      if state.mayBegin {
        state.running += 1
        return (true, false)
      }
      defer { state.isWatched = true }
      return (false, !state.isWatched)
    }
    if begins { begin() }
    if isToBeWatched { watch(after: state.withLock { $0.ended }) }
  }

  /// Starts what was counted as running.
  private func begin() {
    if let target {
      target.async { [self, core] in
        // One at a time: the queue is the user's. Closures are destroyed in the context, too, as they may hold the last
        // reference to the workspace.
        if ThreadContext.with(core, .worker, runNext) { begin() }
      }
    } else {
      Threads.run { [self, core] in
        ThreadContext.with(core, .worker) { while runNext() {} }
      }
    }
  }

  private func runNext() -> Bool {
    // A child that a closure forked runs none of its parent's.
    guard let stalls = runOne(), ForkGuard.isOriginal else { return false }
    return state.withLock { $0.end(stallsBefore: stalls) }
  }

  private func runOne() -> Int? {
    guard let (work, stalls) = state.withLock({ $0.begin() }) else { return nil }
    Threads.pooling(work)
    return stalls
  }

  private func watch(after ended: Int) {
    TimerQueue.run(after: Self.stallTime) { [self, core] in
      // The last closures may end, and the workspace close, beside this.
      defer { withExtendedLifetime(core) {} }
      let (begins, now) = state.withLock { state -> (Bool, Int?) in
        if state.ready.isEmpty {
          state.isWatched = false
          return (false, nil)
        }
        guard state.ended == ended, state.running < maximum else { return (false, state.ended) }
        state.extra += 1
        state.stalls += 1
        state.running += 1
        return (true, state.ended)
      }
      if begins { begin() }
      if let now { watch(after: now) }
    }
  }
}

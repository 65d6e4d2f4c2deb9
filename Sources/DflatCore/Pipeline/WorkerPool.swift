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
  static let limit = ClosureQueue<Work>.limit
  private static let stallTime = DispatchTimeInterval.milliseconds(100)

  private unowned let core: WorkspaceCore
  private let queue: Lock<ClosureQueue<Work>>
  private let target: DispatchQueue?

  init(core: WorkspaceCore, target: DispatchQueue?) {
    self.core = core
    self.target = target
    // The threads of a target queue are few, and others need them.
    queue = Lock(ClosureQueue(maximum: target == nil ? 256 : 32))
  }

  /// True when the closures run on a queue of the user's.
  var hasTarget: Bool { target != nil }

  /// Runs `work` when its turn has come.
  func run(_ work: @escaping Work) {
    let (begins, isToBeWatched, ended) = queue.withLock { $0.add(work) }
    if begins { begin() }
    if isToBeWatched { watch(after: ended) }
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
    return queue.withLock { $0.end(stallsBefore: stalls) }
  }

  private func runOne() -> Int? {
    guard let (work, stalls) = queue.withLock({ $0.begin() }) else { return nil }
    Threads.pooling(work)
    return stalls
  }

  private func watch(after ended: Int) {
    TimerQueue.run(after: Self.stallTime) { [self, core] in
      // The last closures may end, and the workspace close, beside this.
      defer { withExtendedLifetime(core) {} }
      let (begins, now) = queue.withLock { $0.look(after: ended) }
      if begins { begin() }
      if let now { watch(after: now) }
    }
  }
}

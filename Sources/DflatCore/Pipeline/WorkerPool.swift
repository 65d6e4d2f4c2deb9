import Dispatch

/// Runs the closures of transactions on a few threads or on the target queue, first come, first served.
///
/// A closure that waits for the write token blocks its thread. So only a few closures run side by side; the others wait
/// in a queue. The holder of the token needs none of these threads (`Pipeline.passWriteToken`).
///
/// A closure may also wait for something that another closure does, which hasn't started. So if closures are ready and
/// none has ended for a while, one more starts. The extra slot goes away when a closure that was already running then
/// ends.
final class WorkerPool: Sendable {
  typealias Work = @Sendable () -> Void

  /// The number of closures that run side by side as long as closures end.
  static let limit = ClosureQueue<Work>.limit
  private static let stallTime = DispatchTimeInterval.milliseconds(100)

  private unowned let workspace: WorkspaceIdentity
  private let queue: Lock<ClosureQueue<Work>>
  private let target: DispatchQueue?

  init(workspace: WorkspaceIdentity, target: DispatchQueue?) {
    self.workspace = workspace
    self.target = target
    // A target queue has few threads, and others need them.
    queue = Lock(ClosureQueue(maximum: target == nil ? 256 : 32))
  }

  /// True if the closures run on a queue of the user's.
  var hasTarget: Bool { target != nil }

  /// Runs `work` when its turn comes.
  func run(_ work: @escaping Work) {
    let (begins, isToBeWatched, ended) = queue.withLock { $0.add(work) }
    if begins { begin() }
    if isToBeWatched { watch(after: ended) }
  }

  /// Starts a closure that already counts as running.
  private func begin() {
    if let target {
      target.async { [self, workspace] in
        // Submit closures one at a time, because the queue is the user's. Closures are destroyed in the context, too,
        // as they may hold the last reference to the workspace.
        let another = ThreadContext.with(workspace, .worker) {
          var ended: Work?
          return runNext(keeping: &ended)
        }
        if another { begin() }
      }
    } else {
      Threads.run { [self, workspace] in
        // Destroying a closure may run code that waits for the callbacks that this thread has left for its end. So the last
        // closure is destroyed after them, and each other one after another thread has begun with them. That code may
        // also commit, and wait for the callbacks of this commit, so it leaves none.
        var ended: Work?
        func destroy() { ThreadContext.with(workspace, .worker) { ended = nil } }
        ThreadContext.asWorker(of: workspace) {
          while runNext(keeping: &ended) {
            ThreadContext.startLeftWork()
            destroy()
          }
        }
        destroy()
      }
    }
  }

  /// Runs the next closure, which the caller destroys. Returns true if another one may run after it.
  private func runNext(keeping ended: inout Work?) -> Bool {
    guard let (work, stalls) = queue.withLock({ $0.begin() }) else { return false }
    ended = work
    Threads.pooling(work)
    // A child that a closure forked runs none of its parent's closures.
    guard ForkGuard.isOriginal else { return false }
    return queue.withLock { $0.end(stallsBefore: stalls) }
  }

  /// Checks for a stall after `stallTime`, and again while closures are ready.
  private func watch(after ended: Int) {
    TimerQueue.run(after: Self.stallTime) { [self, workspace] in
      // Meanwhile the last closures may end and the workspace may close.
      defer { withExtendedLifetime(workspace) {} }
      let (begins, now) = queue.withLock { $0.look(after: ended) }
      if begins { begin() }
      if let now { watch(after: now) }
    }
  }
}

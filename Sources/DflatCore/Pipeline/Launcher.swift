import Dispatch

/// Someone who waits for a lane or for the baton: a blocked thread, or work that a worker thread runs.
/// What they are told is whether the baton is theirs.
enum Launcher: Sendable {
  case thread(Promise<Bool>)
  /// Runs the work; returns whom the baton was handed to, if it was.
  case work(@Sendable (_ holdsBaton: Bool) -> Launcher?)
}

/// Threads for transactions' closures: serial queues, each of which has a thread when it has work, so that a closure that
/// blocks holds up no other.
final class WorkerPool: Sendable {
  private let idle = Lock<[DispatchQueue]>([])
  private let target: DispatchQueue?
  private let owner: QueueOwner

  init(target: DispatchQueue?, owner: QueueOwner) {
    self.target = target
    self.owner = owner
  }

  /// True when the closures run on a queue of the user's.
  var hasTarget: Bool { target != nil }

  func run(_ work: @escaping @Sendable () -> Void) {
    if let target { return target.async(execute: work) }
    runOnOwnThread(work)
  }

  func runOnOwnThread(_ work: @escaping @Sendable () -> Void) {
    let queue = idle.withLock { $0.popLast() } ?? owner.makeQueue(label: "dflatkv.worker")
    queue.async { [self] in
      work()
      idle.withLock { $0.append(queue) }
    }
  }
}

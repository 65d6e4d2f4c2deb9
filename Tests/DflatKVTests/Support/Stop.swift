import DflatCore
import TestSupport

/// Stops one thread of a workspace at a failpoint until `resume()`: the first that arrives, or a later one.
final class Stop: Sendable {
  private let point: Failpoint
  private let core: WorkspaceCore
  private let reached: Gate
  private let resumed: Gate

  init(at point: Failpoint, in test: TestWorkspace, afterPassing passed: Int = 0) {
    self.point = point
    self.core = test.core
    let reached = Gate("reaching \(point.rawValue)")
    let resumed = Gate("leaving \(point.rawValue)")
    let before = Lock(passed)
    self.reached = reached
    self.resumed = resumed
    point.arm(in: core) {
      let stops = before.withLock { before in
        before -= 1
        return before == -1
      }
      guard stops else { return }
      reached.open()
      try? resumed.wait()
    }
  }

  deinit { resume() }

  /// Blocks until a thread has stopped at the failpoint.
  func wait() throws { try reached.wait() }

  /// Lets the thread go on. No other thread stops afterwards.
  func resume() {
    point.arm(in: core, nil)
    resumed.open()
  }
}

import DflatCore
import TestSupport

/// Stops the first thread of a workspace that reaches a failpoint, until it is told to go on.
final class Stop: Sendable {
  private let point: Failpoint
  private let core: WorkspaceCore
  private let reached: Gate
  private let resumed: Gate
  private let isFirst = Lock(true)

  init(at point: Failpoint, in workspace: TestWorkspace) {
    self.point = point
    self.core = workspace.core
    let reached = Gate("reaching \(point.rawValue)")
    let resumed = Gate("leaving \(point.rawValue)")
    let isFirst = isFirst
    self.reached = reached
    self.resumed = resumed
    point.arm(in: core) {
      let stops = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      guard stops else { return }
      reached.open()
      try? resumed.wait()
    }
  }

  deinit { resume() }

  /// Blocks until a thread stands at the point.
  func wait() throws { try reached.wait() }

  /// Lets it go on. Nobody is stopped any more.
  func resume() {
    point.arm(in: core, nil)
    resumed.open()
  }
}

import DflatCore
import SimulatedRuntime

/// A subscription and the state that its callbacks have shown.
class Watch: @unchecked Sendable {  // one real thread
  let workspace: Int
  var subscription: WorkspaceSubscription?
  var isRegistered = false
  /// True from the call of `cancel()` on.
  var isCancelled = false
  /// The commit that was published when `cancel()` returned.
  private var cancelledAt: UInt64?
  /// True if cancelled on the delivery queue, after which no callback may follow.
  private var isSilent = false
  private var late = 0
  private var running = 0

  init(workspace: Int) { self.workspace = workspace }

  var isActive: Bool { isRegistered && !isCancelled }

  func cancel(_ run: Run, onDeliveryQueue: Bool) {
    isCancelled = true
    subscription?.cancel()
    subscription = nil
    isSilent = isSilent || onDeliveryQueue
    cancelledAt = run.workspaceIfAny(workspace)?.commitNumber
  }

  /// Runs a callback about a commit.
  func call(_ run: Run, about commit: UInt64, _ body: () -> Void) {
    run.check(!run.simulation.holdsLock, "A11: An observer runs under a lock.")
    run.check(running == 0, "A4: Two callbacks of one observer run at once.")
    if let cancelledAt {
      late += 1
      run.check(!isSilent, "cancel: A callback begins after its subscription was cancelled on the delivery queue.")
      run.check(late == 1, "cancel: Two callbacks begin after cancel() has returned.")
      run.check(
        commit <= cancelledAt,
        "cancel: A callback about commit \(commit) begins after cancel() returned at \(cancelledAt).")
    }
    running += 1
    defer { running -= 1 }
    Simulation.point()
    body()
    run.simulation.noteProgress()
  }
}

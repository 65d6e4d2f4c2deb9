/// The threads that wait, within snapshots, for workspaces to close. A workspace closes when its snapshots have ended, so such
/// waits can form a circle:
///
///     one:    snapshot of A ── shuts down B, and waits for the other's snapshot
///     other:  snapshot of B ── shuts down A: must not wait for the first one's
///
/// A state machine without locks or threads.
package struct ClosingWaits {
  private struct Wait {
    /// The workspaces whose closing waits for the thread.
    var snapshots: [ObjectIdentifier]
    /// The workspace for whose closing the thread waits.
    var closing: ObjectIdentifier
  }

  private var waits: [Int: Wait] = [:]
  private var newest = 0

  package init() {}

  /// Begins a wait. Returns its number, or nil if it would never end, because the workspace's closing waits for this
  /// thread.
  ///
  /// - Parameters:
  ///   - workspace: The workspace that is to close.
  ///   - snapshots: The workspaces in whose snapshots the thread is.
  package mutating func begin(
    for workspace: ObjectIdentifier, inSnapshotsOf snapshots: [ObjectIdentifier]
  ) -> Int? {
    // Follow the waits of the threads in the workspace's snapshots.
    var reached: Set<ObjectIdentifier> = [workspace]
    var rest = [workspace]
    while let next = rest.popLast() {
      for wait in waits.values where wait.snapshots.contains(next) && reached.insert(wait.closing).inserted {
        rest.append(wait.closing)
      }
    }
    guard reached.isDisjoint(with: snapshots) else { return nil }
    newest += 1
    waits[newest] = Wait(snapshots: snapshots, closing: workspace)
    return newest
  }

  /// Ends a wait.
  package mutating func end(_ number: Int) { waits[number] = nil }
}

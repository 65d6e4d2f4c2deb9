import Synchronization

/// Named points at which tests stop or kill this process, to force an interleaving or a crash. They do nothing in
/// release builds.
@usableFromInline
package enum Failpoint: String, Sendable, CaseIterable {
  /// A participant is made, but doesn't take part in groups and publications yet (A7).
  case storeBeforeTakingPart
  /// A row was read for the cache, but isn't in the cache yet (A8).
  case loadedBeforeFill
  /// The group is written to the transaction, and COMMIT comes next.
  case beforeCommit
  /// The group's record is in the log of the cluster, and the COMMIT of the local file comes next.
  case appendedBeforeCommit
  /// COMMIT succeeded, but nothing is published yet.
  case committedBeforePublish
  /// The caches have moved, but the commit number hasn't.
  case movedBeforePublished
  /// The caches and the commit number have moved, but other processes aren't awake yet.
  case publishedBeforeTouch
  /// The caches and the commit number have moved to another process's commit, but its callbacks aren't queued yet.
  case publishedBeforeDelivery
  /// A reader has a view, but hasn't looked for commits yet.
  case renewedView
  /// A subscription has begun, and its deliveries aren't held back yet.
  case observerBeforeHolding
  /// An observer's value is loaded, but the observer isn't registered yet (A4).
  case observerBeforeRegister
  /// An observed closure has run, but what it has read isn't tracked yet (A4).
  case closureBeforeTracking
  /// The values of observed keys were read after commits were missed, but the caches aren't dropped yet (A4).
  case resetBeforeMove
  /// A read of several keys has copied the overlay, but hasn't read the file yet.
  case overlayCopied
  /// A callback was found not to be canceled, but hasn't been called yet.
  case callbackTaken
  /// The write token is held, and plain writes are drained.
  case memberBegan
  /// A checkpoint is due, and no group is open.
  case checkpointBegan
  /// The checkpoint ended, with any outcome, on the same thread.
  case checkpointEnded
  /// A step of filling an index is about to write to the open group.
  case fillingBegan
  /// The step has written but not committed, or has failed, on the same thread.
  case fillingEnded

  #if DEBUG
    private struct Key: Hashable {
      var point: Failpoint
      /// Nil means every workspace.
      var workspace: SerialNumber?
    }

    private static let isArmed = Atomic(false)
    private static let actions = Lock<[Key: @Sendable () -> Void]>([:])

    /// Runs `action` whenever a workspace reaches the point, on the thread that reaches it. A nil action disarms the
    /// point.
    ///
    /// - Parameters:
    ///   - workspace: The workspace, or nil for all. Tests that run side by side each arm the points of their own
    ///     workspaces.
    ///   - action: The action of the point.
    package func arm(in workspace: WorkspaceIdentity? = nil, _ action: (@Sendable () -> Void)?) {
      Failpoint.actions.withLock { actions in
        actions[Key(point: self, workspace: workspace?.number)] = action
        Failpoint.isArmed.store(!actions.isEmpty, ordering: .releasing)
      }
    }

    /// Runs the action of this point, if it is armed.
    package func reach(in workspace: WorkspaceIdentity) {
      guard Failpoint.isArmed.load(ordering: .acquiring) else { return }
      let action = Failpoint.actions.withLock {
        $0[Key(point: self, workspace: workspace.number)] ?? $0[Key(point: self, workspace: nil)]
      }
      action?()
    }
  #else
    @inlinable
    @inline(__always)
    package func reach(in workspace: WorkspaceIdentity) {}
  #endif
}

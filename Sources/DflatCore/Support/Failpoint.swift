import Synchronization

/// Named points at which tests stop or kill this process, to force an interleaving or a crash. Empty in release builds.
package enum Failpoint: String, Sendable, CaseIterable {
  /// A row was read for the cache and is not in it yet (A8).
  case loadedBeforeFill
  /// The group is written to the transaction; COMMIT comes next.
  case beforeCommit
  /// COMMIT succeeded; nothing is published yet.
  case committedBeforePublish
  /// The caches moved; the commit number did not yet.
  case movedBeforePublished
  /// The caches and the commit number moved; other processes were not woken yet.
  case publishedBeforeTouch
  /// The caches and the commit number moved to another process's commit; its callbacks are not due yet.
  case publishedBeforeDelivery
  /// A reader has a view and has not looked for commits yet.
  case renewedView
  /// The workspace is open to a new observer, which is nowhere yet.
  case observerBeforeHolding
  /// An observer's value is loaded and it is not registered yet (A4).
  case observerBeforeRegister
  /// The values of observed keys were read after commits were missed, and the caches are not dropped yet (A4).
  case resetBeforeMove
  /// A read of several keys has copied the overlay, and has not read the file yet.
  case overlayCopied
  /// A callback was found not to be cancelled, and is not called yet.
  case callbackTaken
  /// The baton is held, and plain writes were drained.
  case memberBegan
  /// A checkpoint is due: no group is open.
  case checkpointBegan
  /// It ended, whatever came of it, on the same thread.
  case checkpointEnded
  /// A step of an index's filling is about to write to the open group.
  case fillingBegan
  /// The step is written and not committed, or failed, on the same thread.
  case fillingEnded

  #if DEBUG
    private struct Place: Hashable {
      var point: Failpoint
      /// Nil for every workspace.
      var core: ObjectIdentifier?
    }

    private static let isArmed = Atomic(false)
    private static let actions = Lock<[Place: @Sendable () -> Void]>([:])

    /// Runs `action` whenever the point is reached by a workspace, or by any when `core` is nil, on the thread that reaches
    /// it; a nil action disarms. Tests that run side by side each arm the points of their own workspaces.
    package func arm(in core: WorkspaceCore? = nil, _ action: (@Sendable () -> Void)?) {
      Failpoint.actions.withLock { actions in
        actions[Place(point: self, core: core.map(ObjectIdentifier.init))] = action
        Failpoint.isArmed.store(!actions.isEmpty, ordering: .releasing)
      }
    }

    package func reach(in core: WorkspaceCore) {
      guard Failpoint.isArmed.load(ordering: .acquiring) else { return }
      let action = Failpoint.actions.withLock {
        $0[Place(point: self, core: ObjectIdentifier(core))] ?? $0[Place(point: self, core: nil)]
      }
      action?()
    }
  #else
    @inline(__always)
    package func reach(in core: WorkspaceCore) {}
  #endif
}

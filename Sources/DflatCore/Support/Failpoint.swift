import Synchronization

/// Named points at which tests stop or kill this process, to force an interleaving or a crash. Empty in release builds.
package enum Failpoint: String, Sendable, CaseIterable {
  /// A row was read for the cache and is not in it yet (A8).
  case loadedBeforeFill
  /// The group is written to the transaction; COMMIT comes next.
  case beforeCommit
  /// COMMIT succeeded; nothing is published yet.
  case committedBeforePublish
  /// The caches and the commit number moved; other processes were not woken yet.
  case publishedBeforeTouch
  /// A reader has a view and has not looked for commits yet.
  case renewedView
  /// An observer's value is loaded and it is not registered yet (A4).
  case observerBeforeRegister
  /// The baton is held, and plain writes were drained.
  case memberBegan

  #if DEBUG
    private static let isArmed = Atomic(false)
    private static let actions = Lock<[Failpoint: @Sendable () -> Void]>([:])

    /// Runs `action` whenever the point is reached, on the thread that reaches it; nil disarms.
    package func arm(_ action: (@Sendable () -> Void)?) {
      Failpoint.actions.withLock { actions in
        actions[self] = action
        Failpoint.isArmed.store(!actions.isEmpty, ordering: .releasing)
      }
    }

    package func reach() {
      guard Failpoint.isArmed.load(ordering: .acquiring) else { return }
      Failpoint.actions.withLock { $0[self] }?()
    }
  #else
    @inline(__always)
    package func reach() {}
  #endif
}

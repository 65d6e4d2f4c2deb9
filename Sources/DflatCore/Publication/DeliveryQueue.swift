import Synchronization

/// Runs observers and completion handlers one at a time, in commit order (A4, A11), on a thread of the workspace's.
package final class DeliveryQueue: Sendable {
  private struct State {
    var waiting = FIFO<@Sendable () -> Void>()
    /// True while a thread runs what waits.
    var isRunning = false
    /// How many want nothing to begin.
    var holds = 0

    /// True when a thread is to be started.
    mutating func begins() -> Bool {
      guard !isRunning, holds == 0, !waiting.isEmpty else { return false }
      isRunning = true
      return true
    }

    /// Nil when the thread is to end.
    mutating func next() -> (@Sendable () -> Void)? {
      if holds == 0, let next = waiting.popFirst() { return next }
      isRunning = false
      return nil
    }
  }

  private let state = Lock(State())
  private let outstanding = Atomic<Int>(0)

  init() {}

  /// True when everything that was enqueued has run.
  var isIdle: Bool { outstanding.load(ordering: .acquiring) == 0 }

  /// Runs `body` after what was enqueued before, as a callback of `core`.
  package func enqueue(for core: WorkspaceCore, _ body: @escaping @Sendable () -> Void) {
    outstanding.add(1, ordering: .acquiringAndReleasing)
    let begins = state.withLock { state in
      state.waiting.append(body)
      return state.begins()
    }
    if begins { start(for: core) }
  }

  private func start(for core: WorkspaceCore) {
    Threads.run { [self] in
      // Callbacks are destroyed in here, too: they may hold the last reference to the workspace.
      ThreadContext.with(core, .callback) {
        // A child that a callback forked runs none of its parent's.
        while ForkGuard.isOriginal, let body = state.withLock({ $0.next() }) {
          Threads.pooling(body)
          outstanding.subtract(1, ordering: .acquiringAndReleasing)
        }
      }
    }
  }

  /// Runs `body` on this thread while no callback that is enqueued from now on begins.
  ///
  /// An observer is registered and told its initial value in here, so nothing that is committed after the registration
  /// is delivered before the initial value. A callback that runs already goes on beside it: it is about an earlier commit.
  package func holding<T>(for core: WorkspaceCore, _ body: () throws -> T) rethrows -> T {
    state.withLock { $0.holds += 1 }
    defer {
      let begins = state.withLock { state in
        state.holds -= 1
        return state.begins()
      }
      if begins { start(for: core) }
    }
    return try ThreadContext.with(core, .callback) { try body() }
  }
}

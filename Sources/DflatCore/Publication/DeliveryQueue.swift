import DequeModule
import Synchronization

/// Runs observers and completion handlers one at a time, in commit order (A4, A11), on one of the workspace's own
/// threads.
package final class DeliveryQueue: Sendable {
  private struct State {
    var waiting = Deque<@Sendable () -> Void>()
    /// True while a thread runs the callbacks.
    var isRunning = false
    /// The number of `holding` calls in progress. No callback starts meanwhile.
    var holds = 0

    /// Returns true if the caller must start a thread.
    mutating func begins() -> Bool {
      guard !isRunning, holds == 0, !waiting.isEmpty else { return false }
      isRunning = true
      return true
    }

    /// Returns the next callback, or nil if the thread must end.
    mutating func next() -> (@Sendable () -> Void)? {
      if holds == 0, let next = waiting.takeFirst() { return next }
      isRunning = false
      return nil
    }
  }

  private let state = Lock(State())
  private let outstanding = Atomic<Int>(0)

  init() {}

  /// True if every enqueued callback has run.
  var isIdle: Bool { outstanding.load(ordering: .acquiring) == 0 }

  /// Runs `body` after the callbacks that are already in the queue, in the context of a callback of `workspace`.
  package func enqueue(for workspace: WorkspaceIdentity, _ body: @escaping @Sendable () -> Void) {
    outstanding.add(1, ordering: .acquiringAndReleasing)
    let begins = state.withLock { state in
      state.waiting.append(body)
      return state.begins()
    }
    if begins { start(for: workspace) }
  }

  /// Runs the callbacks on another thread, or on this one if it is a worker that has nothing else to do.
  private func start(for workspace: WorkspaceIdentity) {
    let work: @Sendable () -> Void = { [self] in
      // Callbacks are destroyed in this context, too, because they may hold the last reference to the workspace.
      ThreadContext.with(workspace, .callback) {
        // A child that a callback forked runs none of its parent's callbacks.
        while ForkGuard.isOriginal, let body = state.withLock({ $0.next() }) {
          Threads.pooling(body)
          outstanding.subtract(1, ordering: .acquiringAndReleasing)
        }
      }
    }
    if !ThreadContext.leave(work, for: workspace) { Threads.run(work) }
  }

  /// Runs `body` on this thread. No callback starts meanwhile.
  ///
  /// Registering an observer and calling it with its initial value happens in here, so that no commit after the
  /// registration is delivered before the initial value. A callback that is already running goes on: it belongs to an
  /// earlier commit.
  package func holding<T>(for workspace: WorkspaceIdentity, _ body: () throws -> T) rethrows -> T {
    state.withLock { $0.holds += 1 }
    defer {
      let begins = state.withLock { state in
        state.holds -= 1
        return state.begins()
      }
      if begins { start(for: workspace) }
    }
    return try ThreadContext.with(workspace, .callback) { try body() }
  }
}

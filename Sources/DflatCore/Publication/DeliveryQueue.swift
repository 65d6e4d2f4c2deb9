import Dispatch
import Synchronization

/// The one serial queue on which observers and completion handlers run, in commit order (A4, A11).
package final class DeliveryQueue: Sendable {
  private let queue: DispatchQueue
  private let outstanding = Atomic<Int>(0)

  init(owner: QueueOwner) { queue = owner.makeQueue(label: "dflatkv.delivery") }

  /// True when everything that was enqueued has run.
  var isIdle: Bool { outstanding.load(ordering: .acquiring) == 0 }

  /// Runs `body` after what was enqueued before, as a callback of `core`.
  package func enqueue(for core: WorkspaceCore, _ body: @escaping @Sendable () -> Void) {
    outstanding.add(1, ordering: .acquiringAndReleasing)
    queue.async { [self] in
      ThreadContext.with(core, .callback) { body() }
      outstanding.subtract(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Runs `body` on this thread while no callback that is enqueued from now on begins.
  ///
  /// An observer is registered and told its initial value in here, so nothing that is committed after the registration
  /// is delivered before the initial value. A callback that runs already goes on beside it: it is about an earlier commit.
  package func holding<T>(for core: WorkspaceCore, _ body: () throws -> T) rethrows -> T {
    queue.suspend()
    defer { queue.resume() }
    return try ThreadContext.with(core, .callback) { try body() }
  }
}

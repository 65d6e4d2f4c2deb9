import Dispatch

/// Marks the user's queue on which a workspace runs closures, to detect blocking calls there, even from the destruction
/// of a closure that has run.
final class QueueOwner: Sendable {
  /// Each owner has its own key, because workspaces may share a target queue.
  private let key = DispatchSpecificKey<Void>()
  private let queue: DispatchQueue?

  /// - Parameter queue: The queue to mark, if there is one.
  init(of queue: DispatchQueue?) {
    self.queue = queue
    queue?.setSpecific(key: key, value: ())
  }

  /// Removes the mark. Dispatch compares keys by their addresses, and a later owner's key may get this one's.
  deinit { queue?.setSpecific(key: key, value: nil) }

  /// True on the marked queue.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

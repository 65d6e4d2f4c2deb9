import Dispatch

/// Marks the user's queue on which a workspace runs closures, to detect blocking calls there, even from the destruction
/// of a closure that has run.
final class QueueOwner: Sendable {
  /// Each owner has its own key, because workspaces may share a target queue.
  private let key = DispatchSpecificKey<Void>()

  func mark(_ queue: DispatchQueue) { queue.setSpecific(key: key, value: ()) }

  /// True on a queue that this owner marked.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

import Dispatch

/// Marks the queue of a user's on which a workspace runs closures, so that a blocking call there is noticed, even one that
/// comes from a closure's destruction after it has run.
final class QueueOwner: Sendable {
  /// Of this owner alone: workspaces may share a target queue.
  private let key = DispatchSpecificKey<Void>()

  func mark(_ queue: DispatchQueue) { queue.setSpecific(key: key, value: ()) }

  /// True on a marked queue.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

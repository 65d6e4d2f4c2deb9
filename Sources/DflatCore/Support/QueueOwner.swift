import Dispatch

/// Marks the queues on which a workspace runs its users' closures, so that a blocking call there is noticed, even one that
/// comes from a closure's destruction after it has run.
final class QueueOwner: Sendable {
  /// Of this owner alone: workspaces may share a target queue.
  private let key = DispatchSpecificKey<Void>()

  func makeQueue(label: String) -> DispatchQueue {
    let queue = DispatchQueue(label: label)
    mark(queue)
    return queue
  }

  func mark(_ queue: DispatchQueue) { queue.setSpecific(key: key, value: ()) }

  /// True on one of the marked queues.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

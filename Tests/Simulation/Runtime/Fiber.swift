import CFibers

/// A simulated thread.
final class Fiber {
  enum State { case ready, running, blocked(String), finished }

  let number: Int
  let name: String
  var state = State.ready
  var priority: UInt64
  var context: OpaquePointer?
  var body: (() -> Void)?
  /// The values of thread-specific keys.
  var slots: [UInt: UnsafeMutableRawPointer] = [:]
  /// The queue whose work the thread runs.
  var queue: SimulatedQueue?
  /// Number of locks that the thread holds (A11).
  var heldLocks = 0
  /// The object that the thread waits for with a timeout. A late timer readies the thread only if it still waits for
  /// that object.
  weak var waitsFor: AnyObject?

  init(number: Int, name: String, priority: UInt64, body: @escaping () -> Void) {
    self.number = number
    self.name = name
    self.priority = priority
    self.body = body
  }
}

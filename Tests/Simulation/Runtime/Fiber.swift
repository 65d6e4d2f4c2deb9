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
  /// What thread-specific keys hold.
  var slots: [UInt: UnsafeMutableRawPointer] = [:]
  /// The queue whose work it runs.
  var queue: SimulatedQueue?
  /// Locks that it holds (A11).
  var heldLocks = 0
  /// What it waits for with a timeout: a timer that is late readies nothing else.
  weak var waitsFor: AnyObject?

  init(number: Int, name: String, priority: UInt64, body: @escaping () -> Void) {
    self.number = number
    self.name = name
    self.priority = priority
    self.body = body
  }
}

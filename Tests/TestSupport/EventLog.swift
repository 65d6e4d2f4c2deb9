import Foundation

/// Collects events that callbacks on other threads report, in order, and lets a test wait for them.
package final class EventLog<Event: Sendable>: @unchecked Sendable {
  // Unchecked: `condition` guards `collected`.
  private let condition = NSCondition()
  private var collected: [Event] = []

  package init() {}

  /// Adds an event; called by the callback.
  package func append(_ event: Event) {
    condition.withLock {
      collected.append(event)
      condition.broadcast()
    }
  }

  /// The events so far.
  package var events: [Event] { condition.withLock { collected } }

  /// Blocks until the events satisfy the condition, and returns them. Throws `WaitGivenUp` if that takes too long.
  @discardableResult
  package func wait(until isEnough: ([Event]) -> Bool) throws -> [Event] {
    let deadline = Date(timeIntervalSinceNow: generousTime)
    return try condition.withLock {
      while !isEnough(collected) {
        guard condition.wait(until: deadline) else {
          throw WaitGivenUp(description: "gave up waiting for events; there were \(collected)")
        }
      }
      return collected
    }
  }

  /// Blocks until there are that many events. Throws `WaitGivenUp` if that takes too long.
  @discardableResult
  package func wait(forCount count: Int) throws -> [Event] { try wait { $0.count >= count } }
}

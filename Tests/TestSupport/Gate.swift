import Foundation

/// Thrown when something that a test waits for did not happen within a generous time: a deadlock or a lost wake-up.
package struct WaitGivenUp: Error, CustomStringConvertible {
  package let description: String
}

/// How long the blocking helpers wait before they give up. Only a test that fails ever waits this long.
package let generousTime: TimeInterval = 60

/// A door that is closed at first, and once opened stays open. For forcing an interleaving of threads.
package final class Gate: @unchecked Sendable {
  // Unchecked: `isOpen` is only touched while `condition` is held.
  private let condition = NSCondition()
  private var isOpen = false
  private let name: String

  package init(_ name: String = "gate") { self.name = name }

  /// Opens the door and lets everyone through.
  package func open() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }

  /// Blocks until the door is open; throws `WaitGivenUp` when that takes too long.
  package func wait() throws {
    let deadline = Date(timeIntervalSinceNow: generousTime)
    try condition.withLock {
      while !isOpen {
        guard condition.wait(until: deadline) else { throw WaitGivenUp(description: "\(name) was not opened in time") }
      }
    }
  }

  /// Whether it has been opened.
  package var opened: Bool { condition.withLock { isOpen } }
}

/// A point that a fixed number of threads have to reach before any goes on. Can be used again and again.
package final class Barrier: @unchecked Sendable {
  // Unchecked: the counters are only touched while `condition` is held.
  private let condition = NSCondition()
  private let parties: Int
  private var arrived = 0
  private var round = 0

  package init(parties: Int) { self.parties = parties }

  /// Blocks until all have arrived; throws `WaitGivenUp` when that takes too long.
  package func arriveAndWait() throws {
    let deadline = Date(timeIntervalSinceNow: generousTime)
    try condition.withLock {
      let myRound = round
      arrived += 1
      if arrived == parties {
        arrived = 0
        round += 1
        condition.broadcast()
        return
      }
      while round == myRound {
        guard condition.wait(until: deadline) else {
          throw WaitGivenUp(description: "only \(arrived) of \(parties) arrived in time")
        }
      }
    }
  }
}

/// A closure that runs on a thread of its own, so that it may block without holding up anything else.
package final class BackgroundThread<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `result` is written before the gate opens and read after it.
  private var result: Result<Value, any Error>?
  private let done: Gate

  package init(_ name: String = "thread", _ body: @escaping @Sendable () throws -> Value) {
    done = Gate(name)
    Thread.detachNewThread { [self] in
      result = Result { try body() }
      done.open()
    }
  }

  /// Blocks until the closure has returned; gives its value, or throws its error.
  @discardableResult package func join() throws -> Value {
    try done.wait()
    guard let result else { throw WaitGivenUp(description: "the thread left no result") }
    return try result.get()
  }

  /// Whether the closure has returned.
  package var hasFinished: Bool { done.opened }
}

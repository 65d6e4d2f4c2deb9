import Foundation

/// Thrown if an event that a test waits for doesn't happen within a generous time: a deadlock or a lost wake-up.
package struct WaitGivenUp: Error, CustomStringConvertible {
  package let description: String
}

/// The time after which the blocking helpers give up. Only a failing test waits this long.
package let generousTime: TimeInterval = 60

/// A gate that starts closed and stays open once it is opened. Tests use it to force an interleaving of threads.
package final class Gate: @unchecked Sendable {
  // Unchecked: `condition` guards `isOpen`.
  private let condition = NSCondition()
  private var isOpen = false
  private let name: String

  package init(_ name: String = "gate") { self.name = name }

  /// Opens the gate and lets all waiting threads through.
  package func open() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }

  /// Blocks until the gate is open. Throws `WaitGivenUp` if that takes too long.
  package func wait() throws {
    let deadline = Date(timeIntervalSinceNow: generousTime)
    try condition.withLock {
      while !isOpen {
        guard condition.wait(until: deadline) else { throw WaitGivenUp(description: "\(name) was not opened in time") }
      }
    }
  }

  /// True once the gate has been opened.
  package var opened: Bool { condition.withLock { isOpen } }
}

/// A point that a fixed number of threads have to reach before any of them continues. Reusable.
package final class Barrier: @unchecked Sendable {
  // Unchecked: `condition` guards the counters.
  private let condition = NSCondition()
  private let parties: Int
  private var arrived = 0
  private var round = 0

  package init(parties: Int) { self.parties = parties }

  /// Blocks until all threads have arrived. Throws `WaitGivenUp` if that takes too long.
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

/// A closure that runs on a thread of its own, so that it can block without delaying anything else.
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

  /// Blocks until the closure has returned. Returns its value, or throws its error.
  @discardableResult package func join() throws -> Value {
    try done.wait()
    guard let result else { throw WaitGivenUp(description: "the thread left no result") }
    return try result.get()
  }

  /// True once the closure has returned.
  package var hasFinished: Bool { done.opened }
}

package import Dispatch

/// Runs short work later, one piece at a time, on its own thread. The work must not wait for anything.
package enum TimerQueue {
  private struct Entry {
    var deadline: DispatchTime
    var body: @Sendable () -> Void
  }

  private enum Step {
    case run(@Sendable () -> Void)
    case wait(until: DispatchTime)
  }

  private struct State {
    /// The entries in descending order of their deadlines.
    var entries: [Entry] = []
    /// True while there is a thread.
    var isRunning = false
    /// The time at which the thread ends if no entry is added.
    var idleUntil: DispatchTime?

    /// Inserts an entry. Returns true if it is due first.
    mutating func insert(_ entry: Entry) -> Bool {
      var low = 0
      var high = entries.count
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].deadline > entry.deadline { low = middle + 1 } else { high = middle }
      }
      entries.insert(entry, at: low)
      idleUntil = nil
      return low == entries.count - 1
    }

    /// Returns the next step of the thread, or nil if the thread must end.
    mutating func next(now: DispatchTime) -> Step? {
      if let first = entries.last {
        if first.deadline > now { return .wait(until: first.deadline) }
        entries.removeLast()
        return .run(first.body)
      }
      guard let idleUntil else {
        let end = now + TimerQueue.idleTime
        idleUntil = end
        return .wait(until: end)
      }
      if idleUntil > now { return .wait(until: idleUntil) }
      self.idleUntil = nil
      isRunning = false
      return nil
    }
  }

  private static let idleTime = DispatchTimeInterval.seconds(5)
  private static let state = Lock(State())
  private static let changed = DispatchSemaphore(value: 0)

  /// Runs `body` after the delay, on the queue's thread. `body` must not block.
  package static func run(
    after delay: DispatchTimeInterval = .nanoseconds(0), _ body: @escaping @Sendable () -> Void
  ) {
    let entry = Entry(deadline: .now() + delay, body: body)
    let (isFirst, isRunning) = state.withLock { state in
      defer { state.isRunning = true }
      return (state.insert(entry), state.isRunning)
    }
    if !isRunning { return Threads.run(serve) }
    if isFirst { changed.signal() }
  }

  /// Runs `body` while nothing can be scheduled; for tests.
  package static func whileBlocked<T>(_ body: () throws -> T) rethrows -> T { try state.withLock { _ in try body() } }

  private static let serve: @Sendable () -> Void = {
    while let step = state.withLock({ $0.next(now: .now()) }) {
      switch step {
      case .run(let body): Threads.pooling(body)
      case .wait(let deadline): _ = changed.wait(timeout: deadline)
      }
    }
  }
}

/// Open, closing, closed, and the work that closing waits for: a state machine without locks or threads.
package struct Lifecycle {
  package enum Phase { case open, closing, closed }

  package private(set) var phase = Phase.open
  private var activities = 0
  private var onIdle: [@Sendable () -> Void] = []
  private var onClosed: [@Sendable () -> Void] = []

  package init() {}

  /// A transaction or a snapshot begins; false when it may not.
  package mutating func begin() -> Bool {
    guard phase == .open else { return false }
    activities += 1
    return true
  }

  /// It ended. What is to be run now.
  package mutating func end() -> [@Sendable () -> Void] {
    precondition(activities > 0, "More activities ended than began.")
    activities -= 1
    return takeIdle()
  }

  /// Stops new work. The first caller gets true, and closes when `idle` is run; `closed` is run at the very end for each.
  package mutating func close(
    whenIdle idle: @escaping @Sendable () -> Void, whenClosed closed: @escaping @Sendable () -> Void
  ) -> [@Sendable () -> Void] {
    switch phase {
    case .open:
      phase = .closing
      onClosed.append(closed)
      onIdle.append(idle)
      return takeIdle()
    case .closing:
      onClosed.append(closed)
      return []
    case .closed:
      return [closed]
    }
  }

  /// Everything is closed. What is to be run now.
  package mutating func didClose() -> [@Sendable () -> Void] {
    phase = .closed
    defer { onClosed = [] }
    return onClosed
  }

  private mutating func takeIdle() -> [@Sendable () -> Void] {
    guard activities == 0, phase == .closing else { return [] }
    defer { onIdle = [] }
    return onIdle
  }
}

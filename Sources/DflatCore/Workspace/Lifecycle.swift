/// The life of a workspace (open, closing, closed) and the activities that closing waits for. A state machine without
/// locks or threads.
package struct Lifecycle {
  package enum Phase { case open, closing, closed }

  package private(set) var phase = Phase.open
  private var activities = 0
  private var onIdle: [@Sendable () -> Void] = []
  private var onClosed: [@Sendable () -> Void] = []

  package init() {}

  /// Begins an activity, such as a transaction or a snapshot. Returns false unless the workspace is open.
  package mutating func begin() -> Bool {
    guard phase == .open else { return false }
    activities += 1
    return true
  }

  /// Ends an activity. Returns the actions that the caller runs now.
  package mutating func end() -> [@Sendable () -> Void] {
    precondition(activities > 0, "More activities ended than began.")
    activities -= 1
    return takeIdle()
  }

  /// Stops new activities. Returns the actions that the caller runs now.
  ///
  /// - Parameters:
  ///   - idle: Closes the workspace. Runs once no activity is left; only the first call's action runs.
  ///   - closed: Runs after the workspace is closed, for every call.
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

  /// Marks the workspace as closed. Returns the actions that the caller runs now.
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

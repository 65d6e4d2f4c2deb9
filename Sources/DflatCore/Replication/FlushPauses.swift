/// Decides when plain writes that wait for the cluster are tried again: after pauses that double, until it takes a
/// commit.
struct FlushPauses {
  static let first = Duration.milliseconds(50)
  static let longest = Duration.seconds(5)

  private var next = first
  /// True from `begin` to `end` or `reset`.
  private(set) var isRunning = false

  /// Begins a pause, and returns its length; nil if one is running.
  mutating func begin() -> Duration? {
    if isRunning { return nil }
    isRunning = true
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  /// Ends the pause. The caller tries again.
  mutating func end() { isRunning = false }

  /// Notes a commit that the cluster has taken. Plain writes need not wait for the end of the pause any more.
  mutating func reset() { (next, isRunning) = (Self.first, false) }
}

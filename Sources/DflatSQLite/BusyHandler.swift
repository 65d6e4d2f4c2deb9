import DflatSupport

/// A busy handler that waits for another connection's lock in short steps until a timeout expires.
///
/// SQLite's built-in timeout sleeps up to 100 ms at a time, which a writer that waits for another process would notice.
final class BusyHandler {
  private let timeout: Duration
  private var deadline = ContinuousClock.now

  init(timeout: Duration) { self.timeout = timeout }

  /// Sleeps, and returns true, until the timeout expires. SQLite passes the number of earlier calls for the same lock.
  func waits(count: Int32) -> Bool {
    if count == 0 { deadline = .now + timeout }
    guard ContinuousClock.now < deadline else { return false }
    usleep(UInt32(min(1_000, 50 << min(count, 5))))
    return true
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Waits for another connection's lock in short steps until a timeout has passed.
///
/// SQLite's own timeout sleeps up to 100 ms at a time, which a writer that queues behind another process would feel.
final class BusyWait {
  private let timeout: Duration
  private var deadline = ContinuousClock.now

  init(timeout: Duration) { self.timeout = timeout }

  /// Called by SQLite with the number of calls before this one for the same lock.
  func waits(count: Int32) -> Bool {
    if count == 0 { deadline = .now + timeout }
    guard ContinuousClock.now < deadline else { return false }
    usleep(UInt32(min(5_000, 50 << min(count, 7))))
    return true
  }
}

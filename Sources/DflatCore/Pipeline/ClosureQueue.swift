import DequeModule

/// Decides which closures run side by side. A state machine: `WorkerPool` owns its lock, the threads and the timer.
struct ClosureQueue<Work> {
  /// The number of closures that run side by side as long as closures end.
  static var limit: Int { 4 }
  /// The maximum number of running closures, even if none ends.
  let maximum: Int

  private var ready = Deque<Work>()
  private var running = 0
  /// The number of closures that may run beyond the limit.
  private var extra = 0
  private var stalls = 0
  private var ended = 0
  private var isWatched = false

  init(maximum: Int) { self.maximum = maximum }

  /// Queues a closure.
  ///
  /// - Returns: `begins` is true if the caller starts one more closure. `isToBeWatched` is true if the caller calls
  ///   `look(after:)` with `ended` after a while. `ended` is the number of closures that have ended so far.
  mutating func add(_ work: Work) -> (begins: Bool, isToBeWatched: Bool, ended: Int) {
    ready.append(work)
    if running < Self.limit + extra {
      running += 1
      return (true, false, ended)
    }
    defer { isWatched = true }
    return (false, !isWatched, ended)
  }

  /// Returns the next closure and the number of stalls so far. The caller already counts as running, and stops counting
  /// if the result is nil.
  mutating func begin() -> (work: Work, stalls: Int)? {
    if let work = ready.takeFirst() { return (work, stalls) }
    leave()
    return nil
  }

  /// Notes that a closure ended. Returns true if another one may start in its place.
  mutating func end(stallsBefore: Int) -> Bool {
    ended += 1
    if stallsBefore < stalls, extra > 0 { extra -= 1 }
    if !ready.isEmpty, running <= Self.limit + extra { return true }
    leave()
    return false
  }

  private mutating func leave() {
    running -= 1
    // All stalled closures have ended.
    if running == 0 { extra = 0 }
  }

  /// Checks for a stall, a while after a closure was left waiting or after the last check.
  ///
  /// - Parameter ended: The number of closures that had ended when the while began.
  /// - Returns: `begins` is true if the caller starts one more closure, because none has ended since. `next` is the
  ///   argument for the next check; nil if no closures are ready.
  mutating func look(after ended: Int) -> (begins: Bool, next: Int?) {
    if ready.isEmpty {
      isWatched = false
      return (false, nil)
    }
    guard self.ended == ended, running < maximum else { return (false, self.ended) }
    extra += 1
    stalls += 1
    running += 1
    return (true, self.ended)
  }
}

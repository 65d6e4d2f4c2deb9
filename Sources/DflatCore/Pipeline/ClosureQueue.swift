/// Decides which closures run side by side. `WorkerPool` owns its lock, the threads and the timer.
struct ClosureQueue<Work> {
  /// Closures that run side by side, while they end.
  static var limit: Int { 4 }
  /// All that run, whether they end or not.
  let maximum: Int

  private var ready = FIFO<Work>()
  private var running = 0
  /// How many may run beyond the limit.
  private var extra = 0
  private var stalls = 0
  private var ended = 0
  private var isWatched = false

  init(maximum: Int) { self.maximum = maximum }

  /// Queues a closure, and returns whether one more begins, whether to `look` in a while, and how many have ended so far.
  mutating func add(_ work: Work) -> (begins: Bool, isToBeWatched: Bool, ended: Int) {
    ready.append(work)
    if running < Self.limit + extra {
      running += 1
      return (true, false, ended)
    }
    defer { isWatched = true }
    return (false, !isWatched, ended)
  }

  /// The next closure for one that counts as running, with the number of stalls before it.
  mutating func begin() -> (work: Work, stalls: Int)? {
    if let work = ready.popFirst() { return (work, stalls) }
    leave()
    return nil
  }

  /// A closure ended. True when another one may begin in its place.
  mutating func end(stallsBefore: Int) -> Bool {
    ended += 1
    if stallsBefore < stalls, extra > 0 { extra -= 1 }
    if !ready.isEmpty, running <= Self.limit + extra { return true }
    leave()
    return false
  }

  private mutating func leave() {
    running -= 1
    // The stalled closures have ended.
    if running == 0 { extra = 0 }
  }

  /// A while has passed since so many had ended. Returns whether one more begins, because none has ended since, and, while
  /// closures are ready, after how many to look again.
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

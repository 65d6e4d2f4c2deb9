import Synchronization

/// An observation of everything that a closure reads, as participants know it: they report each commit that may change
/// what the closure has read.
@usableFromInline
package class ReadObserver: @unchecked Sendable {  // subclasses guard their own state
  /// True if such a commit came after the newest run began.
  private let isOutdated = Atomic(false)
  /// The position in the list of observers. Guarded by the list's lock.
  fileprivate final var token: OrderedBag<ReadObserver>.Token?

  init() {}

  /// Notes a commit that may change the result, after its COMMIT. May be called under any lock.
  ///
  /// - Returns: The callback that runs the closure again, to be queued before the commit's completions (A4); nil if one
  ///   is queued already, which will read this commit, too.
  package final func invalidate() -> (@Sendable () -> Void)? {
    if isOutdated.exchange(true, ordering: .acquiringAndReleasing) { return nil }
    return { [self] in
      // An earlier callback may have read the commit.
      if isOutdated.load(ordering: .acquiring) { runAgain() }
    }
  }

  /// Begins a run. A snapshot that is taken from now on shows the commits noted so far: they are in the file. An
  /// exchange, not a store, so that this thread's reads come after those commits.
  final func beginRun() { _ = isOutdated.exchange(false, ordering: .acquiringAndReleasing) }

  /// Runs the closure again, on the delivery queue.
  func runAgain() { preconditionFailure("A subclass must override this method.") }

  /// Ends the observation because the workspace is closed.
  func end() { preconditionFailure("A subclass must override this method.") }
}

/// The observations of an open workspace, in the order in which they began.
struct ReadObservers {
  private var observers = OrderedBag<ReadObserver>()
  private var isEnded = false

  /// Adds an observer. Returns false after `end()`.
  mutating func add(_ observer: ReadObserver) -> Bool {
    if isEnded { return false }
    observer.token = observers.append(observer)
    return true
  }

  /// Removes an observer, if it is here.
  mutating func remove(_ observer: ReadObserver) {
    if let token = observer.token { observers.remove(token) }
    observer.token = nil
  }

  var isEmpty: Bool { observers.isEmpty }

  /// Removes and returns all observers. No others are added from now on.
  mutating func end() -> [ReadObserver] {
    isEnded = true
    defer { observers = OrderedBag() }
    return Array(observers)
  }
}

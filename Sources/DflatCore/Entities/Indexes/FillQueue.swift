/// Which indexes are wanted, and which of them is being filled. A state machine without locks or threads.
///
/// Wanted indexes take turns, a step each. One that failed waits a moment before it is tried again, and is then only tried
/// when it is wanted anew.
struct FillQueue {
  /// An index by its table's number and its path's name.
  struct Key: Hashable {
    let table: Int
    let path: String
  }

  enum Outcome {
    case more, done
    /// It is complete, and its values were compared, which is done once.
    case compared
    case failed
    /// The file can't have it.
    case impossible
  }

  /// How long one that failed is left alone.
  static let pause = Duration.milliseconds(500)
  /// How long one that the file can't have is left alone.
  static let longPause = Duration.seconds(10)

  private var waiting = FIFO<Key>()
  private var wanted: Set<Key> = []
  private var compared: Set<Key> = []
  private var retryAt: [Key: ContinuousClock.Instant] = [:]
  private var isRunning = false

  /// True when the caller is to take the first turn.
  ///
  /// - Parameter isComplete: It is wanted only so that its values are compared.
  mutating func want(_ key: Key, isComplete: Bool = false, now: @autoclosure () -> ContinuousClock.Instant) -> Bool {
    if wanted.contains(key) || isComplete && compared.contains(key) { return false }
    if let retryAt = retryAt[key], now() < retryAt { return false }
    wanted.insert(key)
    waiting.append(key)
    defer { isRunning = true }
    return !isRunning
  }

  /// Whose turn it is; nil for nobody's.
  var next: Key? { waiting.first }

  /// The turn is over. Whose it is now; nil when nothing is wanted any more.
  mutating func finish(_ outcome: Outcome, now: @autoclosure () -> ContinuousClock.Instant) -> Key? {
    guard let key = waiting.popFirst() else { preconditionFailure("A turn that nobody had is over.") }
    switch outcome {
    case .more: waiting.append(key)
    case .done, .compared:
      wanted.remove(key)
      retryAt[key] = nil
      if outcome == .compared { compared.insert(key) }
    case .failed, .impossible:
      wanted.remove(key)
      retryAt[key] = now() + (outcome == .failed ? Self.pause : Self.longPause)
    }
    isRunning = waiting.first != nil
    return waiting.first
  }

  func isWanted(_ key: Key) -> Bool { wanted.contains(key) }

  /// True when it has failed and has not succeeded since.
  func hasFailed(_ key: Key) -> Bool { retryAt[key] != nil }
}

import DequeModule
import DflatCore

/// The queue of wanted indexes. A state machine without locks or threads.
///
/// Wanted indexes take turns, with one step per turn. After a failure an index is retried only if it is wanted again,
/// and not before a pause.
struct IndexFillQueue {
  /// An index, by the number of its table and the name of its paths.
  struct Key: Hashable {
    let table: Int
    let path: String
  }

  enum Outcome {
    case more, done
    /// The index is complete, and its values were compared for duplicates, which happens once.
    case compared
    case failed
    /// The file can't have the index.
    case impossible
  }

  /// The time before an index may be wanted again after a failure.
  static let pause = Duration.milliseconds(500)
  /// The time before an index that the file can't have may be wanted again.
  static let longPause = Duration.seconds(10)

  private var waiting = Deque<Key>()
  private var wanted: Set<Key> = []
  private var compared: Set<Key> = []
  private var retryAt: [Key: ContinuousClock.Instant] = [:]
  private var isRunning = false

  /// Queues an index. Returns true if the caller has to take the first turn.
  ///
  /// - Parameter isComplete: True if the index is wanted only to compare its values.
  mutating func want(_ key: Key, isComplete: Bool = false, now: @autoclosure () -> ContinuousClock.Instant) -> Bool {
    if wanted.contains(key) || isComplete && compared.contains(key) { return false }
    if let retryAt = retryAt[key], now() < retryAt { return false }
    wanted.insert(key)
    waiting.append(key)
    defer { isRunning = true }
    return !isRunning
  }

  /// The index whose turn it is; nil if none is wanted.
  var next: Key? { waiting.first }

  /// Ends the current turn. Returns the index whose turn is next, or nil if none is wanted any more.
  mutating func finish(_ outcome: Outcome, now: @autoclosure () -> ContinuousClock.Instant) -> Key? {
    guard let key = waiting.popFirst() else { preconditionFailure("A turn that never began can't end.") }
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

  /// Returns true if the index has failed and has not succeeded since.
  func hasFailed(_ key: Key) -> Bool { retryAt[key] != nil }
}

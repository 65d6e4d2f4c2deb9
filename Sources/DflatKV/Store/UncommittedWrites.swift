import Synchronization

/// Tells whether there are plain writes that aren't committed: queued ones, and those that a group has taken.
///
/// Both are in one word, so that writes that go from one state to the other are in one of them for every reader.
struct UncommittedWrites: ~Copyable {
  private static let queued: UInt8 = 1
  private static let taken: UInt8 = 2

  private let states = Atomic<UInt8>(0)

  var areAny: Bool { states.load(ordering: .acquiring) != 0 }

  /// True from a plain write until a group takes the queued writes.
  var areQueued: Bool { states.load(ordering: .sequentiallyConsistent) & Self.queued != 0 }

  /// Notes a queued write. Returns true if it is the only one.
  @inline(__always)
  func queue() -> Bool {
    if states.load(ordering: .relaxed) & Self.queued != 0 { return false }
    return states.bitwiseOr(Self.queued, ordering: .sequentiallyConsistent).oldValue & Self.queued == 0
  }

  /// Notes that a group has taken the queued writes. The caller has locked all shards.
  func take() { states.store(Self.taken, ordering: .releasing) }

  /// Notes that the group of the taken writes has ended.
  func end() { states.bitwiseAnd(Self.queued, ordering: .releasing) }

  /// Notes that the taken writes are queued again, if there are any. Returns true if there were no queued ones. The
  /// caller has locked all shards.
  func requeue(_ hasWrites: Bool) -> Bool {
    let old = states.exchange(hasWrites ? Self.queued : 0, ordering: .sequentiallyConsistent)
    return hasWrites && old & Self.queued == 0
  }
}

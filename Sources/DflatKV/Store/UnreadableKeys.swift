import DflatCore
import Synchronization

/// The keys whose stored values this workspace's reads could not read. The write that replaces such a value keeps it
/// aside (`ReplacedTable`).
///
/// A key stays marked until a commit has replaced its value, even if another process changes it in between: then a
/// readable value is kept aside, too. Marks that are too many are dropped, oldest first.
final class UnreadableKeys: Sendable {
  static let limit = 16_384

  private struct State {
    /// The newest mark of each key.
    var marks: [HashedKey: UInt64] = [:]
    var newest: UInt64 = 0
  }

  private let state = Lock(State())
  private let count = Atomic(0)

  /// Marks a key whose value a read could not read. Each read makes another mark.
  func insert(_ key: HashedKey) {
    state.withLock { state in
      state.newest += 1
      state.marks[key] = state.newest
      if state.marks.count > Self.limit {
        let oldest = state.newest - UInt64(Self.limit / 2)
        state.marks = state.marks.filter { $0.value > oldest }
      }
      count.store(state.marks.count, ordering: .releasing)
    }
  }

  /// Returns the newest mark of a key; nil if it has none. Every write asks for it.
  @inline(__always)
  func mark(of key: HashedKey) -> UInt64? {
    if count.load(ordering: .acquiring) == 0 { return nil }
    return state.withLock { $0.marks[key] }
  }

  /// Removes a mark, unless a later read has marked the key again: that read found the new value unreadable.
  func remove(_ mark: UInt64, of key: HashedKey) {
    state.withLock { state in
      if state.marks[key] == mark { state.marks[key] = nil }
      count.store(state.marks.count, ordering: .releasing)
    }
  }

  /// The marked keys, whose namespaces keep their names.
  var all: [HashedKey] { state.withLock { Array($0.marks.keys) } }
}

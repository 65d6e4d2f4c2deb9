import DflatCore
import Synchronization

/// The keys whose values this workspace's reads could not read. The write that replaces such a value keeps it aside
/// (`ReplacedTable`).
///
/// A key stays marked until a commit has replaced the value that was read, even if another process changes it in
/// between: then a readable value is kept aside, too. Later members of the group that replaces it don't count it as
/// marked any more. Marks that are too many are dropped, oldest first.
final class UnreadableKeys: Sendable {
  static let limit = 16_384

  /// The place where a read found a value.
  enum Place {
    /// In the file, or in what the open group has written.
    case row
    /// In the overlay or staged by a transaction: it waits to be written.
    case waiting
    /// In a batch of plain writes that a group has taken, and has written or not.
    case either
  }

  /// The reads of a key that could not read its value.
  struct Mark {
    /// The number of the latest one that found the value of the row; 0 if none did.
    fileprivate var ofRow: UInt64 = 0
    /// The number of the latest one that found a waiting value; 0 if none did.
    fileprivate var ofWaiting: UInt64 = 0
    /// True if all of them only wanted another type.
    fileprivate(set) var isMismatch = true

    /// True if a write has to keep the row's value. The mark of a waiting value doesn't apply to the row below it.
    var isOfRow: Bool { ofRow != 0 }

    /// Returns true if no read has found the row's value unreadable since an earlier mark.
    func hasSameRead(ofRow other: Mark) -> Bool { ofRow == other.ofRow }
  }

  private struct State {
    var marks: [HashedKey: Mark] = [:]
    /// The number of the latest mark.
    var newest: UInt64 = 0
  }

  private let state = Lock(State())
  /// Has the bit of each marked key, and perhaps others, so that most writes of other keys take no lock.
  private let filter = Atomic<UInt64>(0)

  private static func bit(of key: HashedKey) -> UInt64 { 1 << UInt64(key.hash & 63) }

  /// Marks a key whose value a read could not read. The mark of a value that is not in a row has to be made under the
  /// shard's lock, under which the value was seen.
  func insert(_ key: HashedKey, in place: Place, isMismatch: Bool) {
    state.withLock { state in
      state.newest += 1
      var mark = state.marks[key] ?? Mark()
      if place != .waiting { mark.ofRow = state.newest }
      if place != .row { mark.ofWaiting = state.newest }
      mark.isMismatch = mark.isMismatch && isMismatch
      state.marks[key] = mark
      var bits = filter.load(ordering: .relaxed) | Self.bit(of: key)
      if state.marks.count > Self.limit {
        let oldest = state.newest - UInt64(Self.limit / 2)
        state.marks = state.marks.filter { max($0.value.ofRow, $0.value.ofWaiting) > oldest }
        bits = state.marks.keys.reduce(0) { $0 | Self.bit(of: $1) }
      }
      filter.store(bits, ordering: .releasing)
    }
  }

  /// Returns the mark of a key; nil if it has none. Every write asks for it.
  @inline(__always)
  func mark(of key: HashedKey) -> Mark? {
    let bit = Self.bit(of: key)
    if filter.load(ordering: .acquiring) & bit == 0 { return nil }
    return state.withLock { $0.marks[key] }
  }

  /// Turns the mark of a waiting value that has been written into one of the row. Call it under the shard's lock.
  ///
  /// - Parameter waits: True if there is another waiting value, which may be the one that was read.
  func noteWrite(of key: HashedKey, whileAnotherWaits waits: Bool) {
    state.withLock { state in
      guard var mark = state.marks[key], mark.ofWaiting != 0 else { return }
      state.newest += 1
      mark.ofRow = state.newest
      if !waits { mark.ofWaiting = 0 }
      state.marks[key] = mark
    }
  }

  /// Ends the mark of a row's value, which a commit has replaced, unless a read has renewed it after the write: that
  /// read may have found the new value.
  func remove(_ mark: Mark, of key: HashedKey) {
    state.withLock { state in
      guard var current = state.marks[key], current.ofRow == mark.ofRow else { return }
      current.ofRow = 0
      state.marks[key] = current.ofWaiting == 0 ? nil : current
      if state.marks.isEmpty { filter.store(0, ordering: .releasing) }
    }
  }

  /// The marked keys, whose namespaces keep their names.
  var all: [HashedKey] { state.withLock { Array($0.marks.keys) } }
}

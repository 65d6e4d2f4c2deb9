import DflatCore
import Synchronization

/// The outcome of the insertions of a transaction, or of a part of one that can be undone by itself.
///
/// Until the COMMIT, only the transactions of the open group may use the rowids of the inserted objects. Without a
/// COMMIT other objects may get these rowids.
///
///     open ──► adopted by the group ──► committed
///       ▲             │ the group failed
///       └─────────────┘
final class EntityInsertion: Sendable {
  private enum State { static let open: UInt8 = 0, adopted: UInt8 = 1, committed: UInt8 = 2 }

  private let state = Atomic(State.open)
  /// The workspace whose group may adopt the insertion.
  private let workspace: SerialNumber

  init(in workspace: SerialNumber) { self.workspace = workspace }

  var isCommitted: Bool { state.load(ordering: .acquiring) == State.committed }

  /// True if the insertion was undone, or its transaction still runs.
  var isOpen: Bool { state.load(ordering: .acquiring) == State.open }

  /// Returns true if the workspace's open group has adopted the insertion. The caller holds the write token.
  func isAdopted(in workspace: SerialNumber) -> Bool {
    state.load(ordering: .acquiring) == State.adopted && self.workspace == workspace
  }

  func becomeAdopted() { state.store(State.adopted, ordering: .releasing) }
  func becomeCommitted() { state.store(State.committed, ordering: .releasing) }
  func becomeUndone() { state.store(State.open, ordering: .releasing) }
}

import DflatCore
import DflatSQLite
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
  /// The workspace whose group may adopt the insertion. Compared only while it is adopted, when the workspace is open.
  private let core: ObjectIdentifier

  init(in core: WorkspaceCore) { self.core = ObjectIdentifier(core) }

  var isCommitted: Bool { state.load(ordering: .acquiring) == State.committed }

  /// True if the insertion was undone, or its transaction still runs.
  var isOpen: Bool { state.load(ordering: .acquiring) == State.open }

  /// Returns true if the workspace's open group has adopted the insertion. The caller holds the write token.
  func isAdopted(in core: WorkspaceCore) -> Bool {
    state.load(ordering: .acquiring) == State.adopted && self.core == ObjectIdentifier(core)
  }

  fileprivate func becomeAdopted() { state.store(State.adopted, ordering: .releasing) }
  fileprivate func becomeCommitted() { state.store(State.committed, ordering: .releasing) }
  fileprivate func becomeUndone() { state.store(State.open, ordering: .releasing) }
}

extension TransactionEntities {
  /// Returns the insertion that new objects belong to.
  func insertion(in core: WorkspaceCore) -> EntityInsertion {
    if let open = insertions.last, insertions.count > closedInsertions { return open }
    let made = EntityInsertion(in: core)
    insertions.append(made)
    return made
  }
}

extension GroupEntities {
  /// Adopts a transaction's insertions into the group.
  func merge(_ insertions: [EntityInsertion]) {
    for insertion in insertions { insertion.becomeAdopted() }
    self.insertions += insertions
  }

  /// Marks the insertions as committed.
  func commitInsertions() {
    for insertion in insertions { insertion.becomeCommitted() }
  }

  /// Marks the insertions as undone, because the group failed.
  func undoInsertions() {
    for insertion in insertions { insertion.becomeUndone() }
  }
}

extension TransactionContext {
  /// Returns true if the insertion belongs to this transaction or to an earlier one in its group. Not called by a
  /// transaction without a group: its view is older than such objects.
  func knows(_ insertion: EntityInsertion) -> Bool {
    if insertion.isAdopted(in: core) { return true }
    return staged[TransactionEntities.self]?.insertions.contains { $0 === insertion } == true
  }
}

/// The origin of one table's rows: a view of a file. Gives objects their identities.
struct EntityOrigin {
  let commitNumber: UInt64
  let file: UInt64
  /// The highest committed rowid. Rows after it belong to an insertion.
  private let lastCommitted: Int64
  private let transaction: TransactionContext?

  /// Creates the origin of committed rows that a connection shows.
  init(on connection: Connection, at commitNumber: UInt64) {
    self.init(inFile: connection.fileIdentity, at: commitNumber)
  }

  /// Creates the origin of committed rows of the file with this number.
  init(inFile file: UInt64, at commitNumber: UInt64) {
    self.commitNumber = commitNumber
    self.file = file
    lastCommitted = .max
    transaction = nil
  }

  /// Creates the origin of rows that a connection of the workspace shows to this thread, including those of the
  /// transaction that the thread runs, if any.
  init(of entity: EntityDescription, on connection: Connection, at commitNumber: UInt64, for core: WorkspaceCore) {
    guard !ThreadContext.isNone, let transaction = ThreadContext.transaction(of: core),
      let group = transaction.currentGroup, group.connection === connection
    else {
      self.init(on: connection, at: commitNumber)
      return
    }
    self.init(of: entity, in: transaction, group)
  }

  /// Creates the origin of rows that a transaction reads and writes.
  init(of entity: EntityDescription, in transaction: TransactionContext, _ group: Group) {
    commitNumber = group.commitNumber
    file = group.connection.fileIdentity
    // A group that never used the table has inserted nothing in it.
    let table = group.states[GroupEntities.self]?.tables[entity.number]
    lastCommitted = table?.lastCommitted ?? .max
    self.transaction = transaction
  }

  func identity(of rowid: Int64) -> EntityIdentity {
    let insertion = rowid > lastCommitted ? transaction.map { $0.entities.insertion(in: $0.core) } : nil
    return EntityIdentity(rowid: rowid, commitNumber: commitNumber, file: file, insertion: insertion)
  }
}

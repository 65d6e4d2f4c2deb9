import DflatSQLite
import Synchronization

/// The fate of the objects that a transaction, or a part of one that is undone by itself, inserted.
///
/// Until the COMMIT only the transactions of the open group may take the objects for their rows. If it never comes,
/// somebody else's objects get the rowids.
///
///     open ──► adopted by the group ──► committed
///       ▲             │ the group failed
///       └─────────────┘
final class EntityInsertion: Sendable {
  private enum State { static let open: UInt8 = 0, adopted: UInt8 = 1, committed: UInt8 = 2 }

  private let state = Atomic(State.open)
  /// Whose group has adopted it; asked while it is adopted, when the workspace is open.
  private let core: ObjectIdentifier

  init(in core: WorkspaceCore) { self.core = ObjectIdentifier(core) }

  var isCommitted: Bool { state.load(ordering: .acquiring) == State.committed }

  /// True when the insertion is undone, or its transaction still runs.
  var isOpen: Bool { state.load(ordering: .acquiring) == State.open }

  /// True when the workspace's open group has it. Asked with the baton.
  func isAdopted(in core: WorkspaceCore) -> Bool {
    state.load(ordering: .acquiring) == State.adopted && self.core == ObjectIdentifier(core)
  }

  fileprivate func becomeAdopted() { state.store(State.adopted, ordering: .releasing) }
  fileprivate func becomeCommitted() { state.store(State.committed, ordering: .releasing) }
  fileprivate func becomeUndone() { state.store(State.open, ordering: .releasing) }
}

extension TransactionEntities {
  /// The insertion that new objects belong to.
  func insertion(in core: WorkspaceCore) -> EntityInsertion {
    if let open = insertions.last, insertions.count > closedInsertions { return open }
    let made = EntityInsertion(in: core)
    insertions.append(made)
    return made
  }
}

extension GroupEntities {
  /// A transaction's insertions are the group's.
  func adopt(_ insertions: [EntityInsertion]) {
    for insertion in insertions { insertion.becomeAdopted() }
    self.insertions += insertions
  }

  /// The group is committed.
  func commitInsertions() {
    for insertion in insertions { insertion.becomeCommitted() }
  }

  /// The group failed.
  func undoInsertions() {
    for insertion in insertions { insertion.becomeUndone() }
  }
}

extension TransactionContext {
  /// True for an insertion of this transaction, or of one before it in its group. A transaction without a group is not asked:
  /// its view is older than the objects.
  func knows(_ insertion: EntityInsertion) -> Bool {
    if insertion.isAdopted(in: core) { return true }
    guard let found = staged[EntityRecord.kind] else { return false }
    return unsafeDowncast(found, to: TransactionEntities.self).insertions.contains { $0 === insertion }
  }
}

/// Gives the objects of one table their identities, as one view of a file shows them.
struct EntityOrigin {
  let commitNumber: UInt64
  let file: UInt64
  /// Rows after this one are not committed.
  private let lastCommitted: Int64
  private let transaction: TransactionContext?

  /// Of committed rows.
  init(on connection: Connection, at commitNumber: UInt64) {
    self.init(inFile: connection.fileNumber, at: commitNumber)
  }

  /// Of committed rows of the file with a number.
  init(inFile file: UInt64, at commitNumber: UInt64) {
    self.commitNumber = commitNumber
    self.file = file
    lastCommitted = .max
    transaction = nil
  }

  /// Of rows that a connection of the workspace shows to this thread: with the transaction's own, if it runs one.
  init(of entity: EntityDescription, on connection: Connection, at commitNumber: UInt64, for core: WorkspaceCore) {
    guard !ThreadContext.isNone, let transaction = ThreadContext.transaction(of: core),
      let group = transaction.currentGroup, group.connection === connection
    else {
      self.init(on: connection, at: commitNumber)
      return
    }
    self.init(of: entity, in: transaction, group)
  }

  /// Of rows that a transaction reads and writes.
  init(of entity: EntityDescription, in transaction: TransactionContext, _ group: Group) {
    commitNumber = group.commitNumber
    file = group.connection.fileNumber
    // A group that never used the table has inserted nothing.
    let table = group.states[EntityRecord.kind].flatMap { _ in group.entities.tables[entity.number] }
    lastCommitted = table?.lastCommitted ?? .max
    self.transaction = transaction
  }

  func identity(of rowid: Int64) -> EntityIdentity {
    let insertion = rowid > lastCommitted ? transaction.map { $0.entities.insertion(in: $0.core) } : nil
    return EntityIdentity(rowid: rowid, commitNumber: commitNumber, file: file, insertion: insertion)
  }
}

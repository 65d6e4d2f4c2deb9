import DflatCore
import DflatSQLite

/// The origin of one table's rows: a view of a file. Gives objects their identities.
struct EntityOrigin {
  let commitNumber: UInt64
  let file: UInt64
  /// The highest committed rowid. Rows after it belong to an insertion.
  private let lastCommitted: Int64
  /// The transaction's state for the table; nil if it has written nothing to it.
  private let table: TransactionTable?
  /// The insertion of the rows that earlier transactions of the group inserted.
  private let earlier: EntityInsertion?

  /// Creates the origin of committed rows that a connection shows.
  init(on connection: Connection, at commitNumber: UInt64) {
    self.init(inFile: connection.fileIdentity, at: commitNumber)
  }

  /// Creates the origin of committed rows of the file with this number.
  init(inFile file: UInt64, at commitNumber: UInt64) {
    self.commitNumber = commitNumber
    self.file = file
    lastCommitted = .max
    table = nil
    earlier = nil
  }

  /// Creates the origin of rows that a connection of the workspace shows to this thread, including those of the
  /// transaction that the thread runs, if any.
  init(
    of entity: EntityDescription, on connection: Connection, at commitNumber: UInt64, for workspace: WorkspaceIdentity
  ) {
    guard !ThreadContext.isNone, let transaction = ThreadContext.transaction(of: workspace),
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
    let entities = group.states[GroupEntities.self]
    lastCommitted = entities?.tables[entity.number]?.lastCommitted ?? .max
    earlier = entities?.anyInsertion
    table = transaction.staged[TransactionEntities.self]?[entity]
  }

  func identity(of rowid: Int64) -> EntityIdentity {
    let insertion = rowid > lastCommitted ? table?.insertion(of: rowid) ?? earlier : nil
    return EntityIdentity(rowid: rowid, commitNumber: commitNumber, file: file, insertion: insertion)
  }
}

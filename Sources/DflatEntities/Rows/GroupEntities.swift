import DflatCore

/// A group's state for one table.
final class GroupTable {
  let entity: EntityDescription
  /// The table's sequence when the group first used it. Rows after it were inserted in the group.
  let lastCommitted: Int64
  private(set) var exists: Bool
  private(set) var changes = RowChangeTracker(keepsContents: false)
  private(set) var usesSequence = false

  init(entity: EntityDescription, lastCommitted: Int64, exists: Bool) {
    self.entity = entity
    self.lastCommitted = lastCommitted
    self.exists = exists
  }

  /// Adds the changes of a transaction that joins the group.
  fileprivate func merge(_ table: TransactionTable) {
    exists = exists || table.exists
    usesSequence = usesSequence || table.usesSequence
    changes.merge(table.changes)
  }

  fileprivate func dropContents() { changes.dropContents() }
}

/// A group's state for entities.
final class GroupEntities {
  /// The tables, by their numbers.
  var tables: [Int: GroupTable] = [:]
  /// The net changes, once the group is complete.
  private(set) var changes: [Int: TableChange] = [:]
  /// The insertions of the members.
  var insertions: [EntityInsertion] = []
  /// An insertion with the outcome of every row that an earlier member inserted; nil if there is no such row.
  var anyInsertion: EntityInsertion? { insertions.last }

  /// Computes the net changes of the complete group.
  func computeNetChanges() { changes = tables.compactMapValues(\.changes.net) }

  func merge(_ table: TransactionTable) {
    guard let merged = tables[table.entity.number] else {
      preconditionFailure("A group must know the tables that its members write to.")
    }
    merged.merge(table)
    if merged.changes.keptBytes == 0 { return }
    let total = tables.values.reduce(0) { $0 + $1.changes.keptBytes }
    if total > RowChangeTracker.maximumKeptBytes { merged.dropContents() }
  }
}

extension Group {
  /// The group's state for entities, which is created at the first access.
  var entities: GroupEntities { states.state(orAdding: GroupEntities()) }
}

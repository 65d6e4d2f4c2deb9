import DflatCore

/// A group's state for one table.
struct GroupTable {
  let entity: EntityDescription
  /// The table's sequence when the group first used it. Rows after it were inserted in the group.
  let lastCommitted: Int64
  var exists: Bool
  var changes = RowChangeTracker(keepsContents: false)
  var usesSequence = false
}

/// A group's state for entities.
final class GroupEntities {
  /// The tables, by their numbers.
  var tables: [Int: GroupTable] = [:]
  /// The net changes, once the group is complete.
  private(set) var changes: [Int: TableChange] = [:]
  /// The insertions of the members.
  var insertions: [EntityInsertion] = []

  /// Computes the net changes of the complete group.
  func computeNetChanges() { changes = tables.compactMapValues(\.changes.net) }

  func merge(_ table: TransactionTable) {
    let number = table.entity.number
    guard var merged = tables[number] else {
      preconditionFailure("A group must know the tables that its members write to.")
    }
    merged.exists = merged.exists || table.exists
    merged.usesSequence = merged.usesSequence || table.usesSequence
    tables[number] = nil  // moves its storage instead of copying it
    merged.changes.merge(table.changes)
    tables[number] = merged
    let total = tables.values.reduce(0) { $0 + $1.changes.keptBytes }
    if total > RowChangeTracker.maximumKeptBytes { tables[number]?.changes.dropContents() }
  }
}

extension Group {
  /// The group's state for entities, which is created at the first access.
  var entities: GroupEntities { states.state(orAdding: GroupEntities()) }
}

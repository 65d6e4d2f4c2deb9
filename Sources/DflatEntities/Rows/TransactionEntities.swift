import DflatCore
import DflatSQLite

/// The indexes and unknown fields that a program's writes of a type's rows have to keep up. Types of one table differ in
/// their schemas.
struct TableUpkeep {
  let entity: EntityDescription
  /// The table's indexes in the file.
  let indexes: [MaintainedIndex]
  /// The table's full-text indexes in the file.
  let searches: [MaintainedSearch]
  /// The fields of the rows that the program's schema lacks; nil if the file's schema isn't newer.
  let unknownFields: UnknownFields?
}

/// A transaction's state for one table. The rows are in SQLite already; this tracks the changes.
final class TransactionTable {
  /// The maximum number of searches in a partial unique index, each of which reads the rows that the index lacks. After
  /// more, filling the index takes less time.
  static let maximumSearches = 16

  let entity: EntityDescription
  let storage: EntityStorage
  let sequence: RowSequence
  /// The table's sequence when the group first used it. Rows after it were inserted in the group.
  let lastCommitted: Int64
  /// True if the table exists, as the transaction sees it.
  private(set) var exists: Bool
  /// True if the table existed before the transaction used it.
  private let existed: Bool
  /// The upkeep of the type that last wrote. Looked up once per transaction, because no one
  /// else changes the file's lists meanwhile.
  var upkeep: TableUpkeep?
  var changes: RowChangeTracker
  /// True if rowids were assigned.
  var usesSequence = false
  /// The number of searches for values of unique fields in a partial index.
  var searches = 0

  init(_ entity: EntityDescription, _ storage: EntityStorage, in group: GroupTable, keepsContents: Bool) {
    self.entity = entity
    self.storage = storage
    sequence = storage.writer.sequence(ofTable: entity.number)
    lastCommitted = group.lastCommitted
    exists = group.exists
    existed = group.exists
    changes = RowChangeTracker(keepsContents: keepsContents)
  }

  var hasWritten: Bool { exists != existed || changes.changeCount > 0 }

  func noteCreation() { exists = true }

  fileprivate var beginning: TransactionEntities.Mark { .init(exists: existed, changeCount: 0) }
  fileprivate var mark: TransactionEntities.Mark { .init(exists: exists, changeCount: changes.changeCount) }

  fileprivate func rollBack(to mark: TransactionEntities.Mark) {
    exists = mark.exists
    // A stored sequence implies that its table exists.
    if !exists { usesSequence = false }
    upkeep = nil
    changes.undo(since: mark.changeCount)
  }
}

/// A transaction's state for entities.
final class TransactionEntities: UndoableState {
  private(set) var tables: [TransactionTable] = []
  /// The insertions that new objects belong to: one for the transaction, and one for each part that can be undone by
  /// itself.
  var insertions: [EntityInsertion] = []
  /// The number of leading insertions that take no new objects.
  private(set) var closedInsertions = 0

  subscript(entity: EntityDescription) -> TransactionTable? { tables.first { $0.entity.number == entity.number } }

  func add(_ table: TransactionTable) { tables.append(table) }

  /// The state of one table at an undo point.
  fileprivate struct Mark {
    let exists: Bool
    let changeCount: Int
  }

  /// Starts another insertion for later objects, because a part that can be undone by itself begins or ends.
  func closeInsertions() { closedInsertions = insertions.count }

  /// Returns a closure that forgets later changes. The caller undoes them in SQLite.
  func undoPoint() -> () -> Void {
    closeInsertions()
    let marks = tables.map(\.mark)
    let insertionCount = insertions.count
    return { [self] in
      insertions.removeLast(insertions.count - insertionCount)
      closeInsertions()
      for (number, table) in tables.enumerated() {
        // Keep tables added later: open requests still refer to their change counts.
        table.rollBack(to: number < marks.count ? marks[number] : table.beginning)
      }
    }
  }
}

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
  /// The prepared observer updates, which `publish` installs.
  var prepared: AnyObject?
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

extension TransactionContext {
  /// The transaction's state for entities, which is created at the first access.
  var entities: TransactionEntities { staged.state(orAdding: TransactionEntities()) }

  /// Returns the transaction's state for a table in the group that it has joined.
  func table(_ entity: EntityDescription, in group: Group, of storage: EntityStorage) throws -> TransactionTable {
    if let found = entities[entity] { return found }
    let made = TransactionTable(
      entity, storage, in: try storage.writer.table(entity, in: group),
      keepsContents: storage.hasLiveQueries(ofTable: entity.number))
    entities.add(made)
    return made
  }

  /// Returns the number of the transaction's changes to a table.
  func changeCount(of entity: EntityDescription) -> Int {
    staged[TransactionEntities.self]?[entity]?.changes.changeCount ?? 0
  }
}

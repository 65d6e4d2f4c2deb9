import DflatSQLite

/// What a transaction has written of one table. It is in SQLite already; here is what becomes of it.
final class TransactionTable {
  /// A search for a value reads the rows that aren't in a unique index yet. After so many of them it is quicker to fill it.
  static let maximumSearches = 16

  let entity: EntityDescription
  let writer: EntityWriter
  let sequence: RowSequence
  /// The table's sequence when the group first used it: rows after it were inserted in the group.
  let lastCommitted: Int64
  /// True when the table is there, as the transaction sees it.
  private(set) var exists: Bool
  /// Before the transaction used it.
  private let existed: Bool
  /// What the file has of indexes, and the type that they are kept for: types of one table differ in what is unique. Asked
  /// for once a transaction, as nobody else makes one meanwhile.
  var indexes: (entity: EntityDescription, all: [MaintainedIndex])?
  var changes: RowChanges
  /// True when rowids were given out.
  var usesSequence = false
  /// Searches for values of unique fields in rows that weren't indexed.
  var searches = 0

  init(_ entity: EntityDescription, _ writer: EntityWriter, in group: GroupTable, keepsContents: Bool) {
    self.entity = entity
    self.writer = writer
    sequence = writer.sequence(ofTable: entity.number)
    lastCommitted = group.lastCommitted
    exists = group.exists
    existed = group.exists
    changes = RowChanges(keepsContents: keepsContents)
  }

  var hasWritten: Bool { exists != existed || changes.stamp > 0 }

  func noteCreation() { exists = true }

  fileprivate var beginning: TransactionEntities.Mark { .init(exists: existed, stamp: 0) }
  fileprivate var mark: TransactionEntities.Mark { .init(exists: exists, stamp: changes.stamp) }

  fileprivate func goBack(to mark: TransactionEntities.Mark) {
    exists = mark.exists
    // A sequence that is stored says that its table is there.
    if !exists { usesSequence = false }
    indexes = nil
    changes.undo(since: mark.stamp)
  }
}

/// What a transaction has written of entities.
final class TransactionEntities: UndoableState {
  private(set) var tables: [TransactionTable] = []
  /// The insertions of new objects: one for the transaction, and one for each part that may be undone by itself.
  var insertions: [EntityInsertion] = []
  /// New objects don't belong to the first ones.
  private(set) var closedInsertions = 0

  subscript(entity: EntityDescription) -> TransactionTable? { tables.first { $0.entity.number == entity.number } }

  func add(_ table: TransactionTable) { tables.append(table) }

  /// What was written of one table up to some instant.
  fileprivate struct Mark {
    let exists: Bool
    let stamp: Int
  }

  /// A part begins or ends that may be undone by itself: the objects after this belong to another insertion.
  func closeInsertions() { closedInsertions = insertions.count }

  /// Returns a closure that forgets later writes. The caller undoes them in SQLite.
  func undoPoint() -> () -> Void {
    closeInsertions()
    let marks = tables.map(\.mark)
    let insertionCount = insertions.count
    return { [self] in
      insertions.removeLast(insertions.count - insertionCount)
      closeInsertions()
      for (number, table) in tables.enumerated() {
        // Those that came later stay: requests that were made meanwhile know them by their counts of submissions.
        table.goBack(to: number < marks.count ? marks[number] : table.beginning)
      }
    }
  }
}

/// What a group has written of one table.
struct GroupTable {
  let entity: EntityDescription
  /// The table's sequence when the group first used it: rows after it were inserted in the group.
  let lastCommitted: Int64
  var exists: Bool
  var changes = RowChanges(keepsContents: false)
  var usesSequence = false
}

/// What a group has written of entities.
final class GroupEntities {
  /// By the tables' numbers.
  var tables: [Int: GroupTable] = [:]
  /// The net changes, when the group is complete.
  private(set) var changes: [Int: TableChanges] = [:]
  /// What `publish` will tell.
  var prepared: AnyObject?
  /// Those of the members.
  var insertions: [EntityInsertion] = []

  /// The group is complete.
  func settle() { changes = tables.compactMapValues(\.changes.net) }

  func adopt(_ table: TransactionTable) {
    let number = table.entity.number
    guard var merged = tables[number] else {
      preconditionFailure("The group knows the tables that its members write to.")
    }
    merged.exists = merged.exists || table.exists
    merged.usesSequence = merged.usesSequence || table.usesSequence
    tables[number] = nil  // so that what it holds is moved, not copied
    merged.changes.merge(table.changes)
    tables[number] = merged
    let total = tables.values.reduce(0) { $0 + $1.changes.keptBytes }
    if total > RowChanges.maximumKeptBytes { tables[number]?.changes.dropContents() }
  }
}

extension Group {
  var entities: GroupEntities {
    if let found = states[EntityRecord.kind] { return unsafeDowncast(found, to: GroupEntities.self) }
    let made = GroupEntities()
    states[EntityRecord.kind] = made
    return made
  }
}

extension TransactionContext {
  var entities: TransactionEntities {
    if let found = staged[EntityRecord.kind] { return unsafeDowncast(found, to: TransactionEntities.self) }
    let made = TransactionEntities()
    staged[EntityRecord.kind] = made
    return made
  }

  /// The table that the transaction writes to, in the group that it has joined.
  func table(_ entity: EntityDescription, in group: Group) throws -> TransactionTable {
    if let found = entities[entity] { return found }
    let store = EntityStore.of(core)
    let made = TransactionTable(
      entity, store.writer, in: try store.writer.table(entity, in: group),
      keepsContents: store.observers.areInterested(inTable: entity.number))
    entities.add(made)
    return made
  }

  /// Counts the transaction's submissions to a table.
  func stamp(of entity: EntityDescription) -> Int {
    guard let found = staged[EntityRecord.kind] else { return 0 }
    return unsafeDowncast(found, to: TransactionEntities.self)[entity]?.changes.stamp ?? 0
  }
}

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
  /// The upkeep of the type that last wrote. Looked up once per transaction, because no one else changes the file's
  /// lists meanwhile.
  var upkeep: TableUpkeep?
  var changes: RowChangeTracker
  /// True if rowids were assigned.
  var usesSequence = false
  /// The number of searches for values of unique fields in a partial index.
  var searches = 0
  /// The insertions that the transaction's new rows belong to, each with its first row, in ascending order. A row belongs
  /// to the last one whose first row isn't after it.
  private var insertions: [(first: Int64, insertion: EntityInsertion)] = []

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

  /// Notes the insertion of a new row.
  func note(_ insertion: EntityInsertion, of rowid: Int64) {
    if insertions.last?.insertion !== insertion { insertions.append((rowid, insertion)) }
  }

  /// Returns the insertion of a row that the transaction inserted; nil for any other row.
  func insertion(of rowid: Int64) -> EntityInsertion? { insertions.last { $0.first <= rowid }?.insertion }

  var beginning: TransactionEntities.Mark { .init(exists: existed, changeCount: 0) }
  var mark: TransactionEntities.Mark { .init(exists: exists, changeCount: changes.changeCount) }

  func rollBack(to mark: TransactionEntities.Mark) {
    exists = mark.exists
    // A stored sequence implies that its table exists.
    if !exists { usesSequence = false }
    upkeep = nil
    changes.undo(since: mark.changeCount)
  }
}

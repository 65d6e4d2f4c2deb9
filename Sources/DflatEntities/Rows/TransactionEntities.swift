import DflatCore

/// A transaction's state for entities.
final class TransactionEntities: UndoableState {
  // The lists of tables and writers are looked up for each row. They are replaced rather than appended to: the compiler
  // then proves that no accesses overlap, and omits the check for it at each look-up.

  private(set) var tables: [TransactionTable] = []
  /// The insertions that new objects belong to: one for the transaction, and one for each part that can be undone by
  /// itself.
  var insertions: [EntityInsertion] = []
  /// The number of leading insertions that take no new objects.
  private(set) var closedInsertions = 0

  /// The writers of the types that the transaction has written.
  private var rowWriters: [RowWriter] = []

  subscript(entity: EntityDescription) -> TransactionTable? { tables.first { $0.entity.number == entity.number } }

  /// The writer of a type's rows; nil before the transaction's first write to the type.
  func rowWriter(of entity: EntityDescription) -> RowWriter? {
    for writer in rowWriters where writer.entity === entity { return writer }
    return nil
  }

  func add(_ writer: RowWriter) {
    var all = rowWriters
    all.append(writer)
    rowWriters = all
  }

  func add(_ table: TransactionTable) {
    var all = tables
    all.append(table)
    tables = all
  }

  /// The state of one table at an undo point.
  struct Mark {
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

extension TransactionContext {
  /// The transaction's state for entities, which is created at the first access.
  var entities: TransactionEntities { staged.state(orAdding: TransactionEntities()) }

  /// Returns the writer of a type's rows. Joins the group, unless the transaction has already joined it.
  ///
  /// - Parameter storage: The workspace's storage, evaluated at the transaction's first write to the type.
  func rowWriter(of type: ObjectType, storage: @autoclosure () -> EntityStorage) throws -> RowWriter {
    let entity = type.entity
    if let found = entities.rowWriter(of: entity) {
      // Throws if the transaction can't write any more.
      _ = try joinedGroup()
      return found
    }
    try requireDeclared(type)
    let group = try joinedGroup()
    do {
      try SchemaCatalog.requireCompatibility(of: entity, on: group.connection)
      let made = RowWriter(type, in: self, group, table: try table(entity, in: group, of: storage()))
      entities.add(made)
      return made
    } catch {
      group.note(error)
      throw failing(error, about: type)
    }
  }

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

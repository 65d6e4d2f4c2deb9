import DflatCore
import DflatSQLite

extension EntityStore: Participant {
  static var recordKind: UInt8 { EntityRecord.kind }

  // MARK: Plain writes, which entities don't have

  var hasPendingWrites: Bool { false }
  func begin(after commitNumber: UInt64) {}  // nothing is cached
  func drain(into group: Group) {}
  func failPendingWrites(because error: WorkspaceError) {}
  func stopAcceptingWrites() {}

  // MARK: Transactions

  /// Does nothing: submissions are in SQLite already.
  func apply(_ transaction: TransactionContext, to group: Group) throws {}

  func merge(_ transaction: TransactionContext, into group: Group) {
    guard let staged = transaction.staged[TransactionEntities.self] else { return }
    let entities = group.entities
    for table in staged.tables where table.hasWritten {
      entities.merge(table)
      group.hasChanges = true
    }
    entities.merge(staged.insertions)
  }

  func finish(_ group: Group) throws {
    guard let entities = group.states[GroupEntities.self] else { return }
    for table in entities.tables.values where table.usesSequence {
      try storage.writer.storeLastRowid(of: table.entity, on: group.connection)
    }
  }

  func changeRecord(for group: Group) -> [UInt8]? {
    guard let entities = group.states[GroupEntities.self] else { return nil }
    entities.computeNetChanges()
    if entities.changes.isEmpty { return nil }
    return EntityRecord.encode(
      entities.changes.map { number, changes in
        EntityRecord.Table(name: entities.tables[number]?.entity.table ?? "", rowids: changes.rowids)
      })
  }

  // MARK: Outcome

  func prepare(_ group: Group) {
    guard let entities = group.states[GroupEntities.self], !entities.changes.isEmpty else { return }
    group.states[PreparedSteps.self] = observers.prepare(
      entities.changes, at: group.commitNumber, on: group.connection)
  }

  func publish(_ group: Group) -> [Delivery] {
    let entities = group.states[GroupEntities.self]
    entities?.commitInsertions()
    guard let entities, !entities.changes.isEmpty else {
      observers.groupEndedWithoutChanges()
      return []
    }
    return observers.publish(group.states[PreparedSteps.self], at: group.commitNumber)
  }

  func conclude(_ group: Group) {
    // A reader has published the group's commit first, or the group changed nothing.
    group.states[GroupEntities.self]?.commitInsertions()
    observers.groupEndedWithoutChanges()
  }

  func discard(_ group: Group, because error: WorkspaceError) {
    group.states[GroupEntities.self]?.undoInsertions()
    observers.groupEndedWithoutChanges()
  }

  func end() { observers.end() }
}

extension TableChange {
  /// The changed rows; nil if any row may have changed.
  fileprivate var rowids: [Int64]? {
    switch self {
    case .rows(let changes): changes.map(\.rowid)
    case .rowids(let rowids): rowids
    case .unknown: nil
    }
  }
}

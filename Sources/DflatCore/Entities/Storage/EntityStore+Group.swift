import DflatSQLite

extension EntityStore: Participant {
  var recordKind: UInt8 { EntityRecord.kind }
  var hasPendingWrites: Bool { false }
  func drain(into group: Group) {}
  func failPendingWrites(because error: WorkspaceError) {}
  func apply(_ transaction: TransactionContext, to group: Group) throws {}
  func adopt(_ transaction: TransactionContext, into group: Group) {
    guard transaction.staged[EntityRecord.kind] != nil else { return }
    let entities = group.entities
    for table in transaction.entities.tables {
      entities.adopt(table)
      if table.changes.stamp > 0 || table.isCreated { group.hasChanges = true }
    }
  }

  func finish(_ group: Group) throws {
    guard group.states[EntityRecord.kind] != nil else { return }
    for table in group.entities.tables.values where table.usesSequence {
      try writer.storeLastRowid(of: table.entity, on: group.connection)
    }
  }

  func changeRecord(for group: Group) -> [UInt8]? { nil }
  func prepare(_ group: Group) {}
  func publish(_ group: Group) -> [Delivery] { [] }
  func conclude(_ group: Group) {}
  func discard(_ group: Group, because error: WorkspaceError) {}
  func publish(foreign records: [ChangeLog.Record], on connection: Connection) throws -> [Delivery] { [] }
  func reset(to commitNumber: UInt64, on connection: Connection) throws -> [Delivery] { [] }
  func stopAcceptingWrites() {}
  func end() { observers.end() }
}

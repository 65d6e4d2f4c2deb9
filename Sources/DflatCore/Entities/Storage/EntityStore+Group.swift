import DflatSQLite

extension EntityStore: Participant {
  var recordKind: UInt8 { EntityRecord.kind }
  var hasPendingWrites: Bool { false }
  func drain(into group: Group) {}
  func failPendingWrites(because error: WorkspaceError) {}
  func apply(_ transaction: TransactionContext, to group: Group) throws {}
  func adopt(_ transaction: TransactionContext, into group: Group) {}
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

/// The entities' part of a change-log row (docs/storage-format.md).
enum EntityRecord {
  static let kind: UInt8 = 2
}

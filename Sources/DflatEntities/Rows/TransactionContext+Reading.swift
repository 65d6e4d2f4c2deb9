import DflatCore
import DflatSQLite

extension TransactionContext {
  /// Throws unless the transaction is running and its call declared the type.
  func requireDeclared(_ type: ObjectType) throws {
    try requireRunning()
    if declaredLanes.contains(type.entity.lane) { return }
    throw WorkspaceError(
      .undeclaredType,
      "A transaction on '\(core.path)' uses \(type), which it did not declare; list the type in the call.",
      path: core.path)
  }

  /// Runs queries for declared types, as `read(_:)` does.
  ///
  /// - Parameter storage: The workspace's storage. The store thus exists before the view, and learns of every external
  ///   change after it.
  func readEntities<T>(
    of storage: EntityStorage, _ body: (Connection, _ commitNumber: UInt64) throws -> T
  ) throws -> T? {
    try read(body)
  }
}

extension EntityDescription {
  /// The lane of the types that share the table.
  var lane: Lane { .participant(recordKind: EntityRecord.kind, number: number) }
}

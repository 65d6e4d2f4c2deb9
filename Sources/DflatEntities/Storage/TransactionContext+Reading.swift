import DflatCore
import DflatSQLite

extension TransactionContext {
  /// Throws unless the transaction is running and its call declared the type.
  func requireDeclared(_ type: any Atom.Type) throws {
    try requireRunning()
    if declaredLanes.contains(type._entity.lane) { return }
    throw WorkspaceError(
      .undeclaredType,
      "A transaction on '\(core.path)' uses \(type), which it did not declare; list the type in the call.",
      path: core.path)
  }

  /// Runs queries for declared types, as `read(_:)` does.
  func readEntities<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    // Create the store before the view, so that it learns of every external change after the view.
    _ = EntityStore.of(core)
    return try read(body)
  }
}

import DflatCore
import DflatSQLite

/// The context of a query: a workspace, or one of its transactions.
struct QuerySource: Sendable {
  let storage: LazyEntityStorage
  /// Keeps the workspace open until the query has run.
  private let owner: any AnyObject & Sendable
  private let transaction: SerialNumber?

  init(_ workspace: any Queryable, storage: LazyEntityStorage) {
    self.storage = storage
    owner = workspace
    transaction = nil
  }

  init(_ transaction: TransactionContext, storage: LazyEntityStorage) {
    self.storage = storage
    owner = transaction.core
    self.transaction = transaction.number
  }

  var core: WorkspaceCore { storage.core }

  /// Reads objects of a type: inside a transaction's closure from the transaction's state, inside a snapshot from the
  /// snapshot, otherwise from the newest commit. Doesn't call `body` if there is no file.
  ///
  /// - Parameters:
  ///   - type: The type, which only a transaction looks at.
  ///   - body: Reads on the connection, which shows the commit.
  /// - Throws: Only ``/DflatCore/WorkspaceError``: `.undeclaredType` if the transaction didn't declare the type,
  ///   `.aborted` if it was aborted, is over, or isn't running on this thread, `.shutdown` after shutdown, or that of a
  ///   failure to read the file.
  func read(_ type: @autoclosure () -> ObjectType, _ body: (Connection, _ commitNumber: UInt64) throws -> Void) throws {
    do {
      switch ThreadContext.isNone ? nil : try core.readingRole() {
      case .transaction(let current)?:
        if let transaction, transaction != current.number { throw outsideError }
        try current.requireDeclared(type())
        _ = try current.readEntities(of: storage.value, body)
      case .snapshot(let snapshot)? where transaction == nil:
        _ = try snapshot.read(body)
      default:
        if transaction != nil { throw outsideError }
        _ = try core.readView(body)
      }
    } catch {
      throw WorkspaceError.wrapping(error, path: core.path, doing: "Reading")
    }
  }

  private var outsideError: WorkspaceError {
    WorkspaceError(
      .aborted,
      "A query of a transaction on '\(core.path)' was run outside of its closure; run it inside, on the closure's thread.",
      path: core.path)
  }
}

import DflatSQLite

/// Where a query is asked: in a workspace, or in one transaction of it.
struct QuerySource: Sendable {
  let core: WorkspaceCore
  /// Keeps the workspace open until the query has run.
  private let owner: any AnyObject & Sendable
  private let transaction: ObjectIdentifier?

  init(_ workspace: any Workspace) {
    core = workspace.core
    owner = workspace
    transaction = nil
  }

  init(_ transaction: TransactionContext) {
    core = transaction.core
    owner = transaction.core
    self.transaction = ObjectIdentifier(transaction)
  }

  /// Reads objects of a type: in a transaction's closure what the transaction sees, in a snapshot's what that shows, else
  /// the newest commit. `body` isn't called while there is no file.
  ///
  /// - Throws: `WorkspaceError` alone.
  func read(_ type: any Atom.Type, _ body: (Connection, _ commitNumber: UInt64) throws -> Void) throws {
    // A row that can't be decoded says nothing against the connection.
    var failure: WorkspaceError?
    func reading(_ connection: Connection, _ commitNumber: UInt64) throws {
      do { try body(connection, commitNumber) } catch let error as WorkspaceError { failure = error }
    }
    do {
      switch ThreadContext.isNone ? nil : ThreadContext.reading(core) {
      case .transaction(let current)?:
        if let transaction, transaction != ObjectIdentifier(current) { throw outsideError }
        try current.requireDeclared(type)
        try current.read(reading)
      case .snapshot(let snapshot)? where transaction == nil:
        switch snapshot.state {
        case .empty: break
        case .failed(let error): throw error
        case .pinned(let reader, let commitNumber): try reading(reader.connection, commitNumber)
        }
      default:
        if transaction != nil { throw outsideError }
        _ = try core.readView(reading)
      }
    } catch {
      throw WorkspaceError.wrapping(error, path: core.path, doing: "Reading")
    }
    if let failure { throw failure }
  }

  private var outsideError: WorkspaceError {
    WorkspaceError(
      .aborted,
      "A query of a transaction on '\(core.path)' was run outside of its closure; run it inside, on the closure's thread.",
      path: core.path)
  }
}

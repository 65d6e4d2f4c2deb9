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
  /// the newest commit. Nil while there is no file.
  ///
  /// - Throws: `WorkspaceError` alone.
  func read<T>(_ type: any Atom.Type, _ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    // A row that can't be decoded says nothing against the connection.
    func reading(_ connection: Connection, _ commitNumber: UInt64) throws -> Result<T, WorkspaceError> {
      do { return .success(try body(connection, commitNumber)) } catch let error as WorkspaceError {
        return .failure(error)
      }
    }
    do {
      guard case .transaction(let current)? = ThreadContext.reading(core) else {
        if transaction != nil { throw outsideError }
        return try core.withCurrentView(reading)?.get()
      }
      if let transaction, transaction != ObjectIdentifier(current) { throw outsideError }
      try current.requireDeclared(type)
      return try current.read(reading)?.get()
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

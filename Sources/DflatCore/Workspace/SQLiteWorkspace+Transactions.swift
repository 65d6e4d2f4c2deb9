extension SQLiteWorkspace {
  /// Queues a transaction over the listed types.
  ///
  ///     workspace.performChanges([]) { txn in
  ///       txn.dictionary["opened"] = Date()
  ///     } completionHandler: { succeeded in
  ///       print(succeeded)
  ///     }
  ///
  /// `changesHandler` runs once, on a thread of the workspace's or the target queue. Transactions that share a type, and
  /// those that list none, take effect in the order of their calls; others run side by side. The dictionary needs no
  /// declaration. `completionHandler` runs on the delivery queue, after the observers: true when the transaction is in the
  /// file, or had nothing to change; false when it was aborted, failed, or came after shutdown. The error handler and the
  /// log get the error then. A write in the closure that fails, for example of a value that can't be encoded, fails the
  /// transaction.
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: sending @escaping ChangesHandler,
    completionHandler: sending CompletionHandler? = nil
  ) {
    let changes = Sent(changesHandler)
    let completion = Sent(completionHandler)
    core.perform(transactionalObjectTypes, body: { changes.value($0) }) { [core] result in
      if case .failure(let error) = result { core.reportFailure(of: error) }
      completion.value?((try? result.get()) != nil)
    }
  }

  /// Runs a transaction and returns what its closure returns, when it is committed.
  ///
  ///     let total = try await workspace.transact { txn in
  ///       let total = txn.dictionary["total", default: 0] + 1
  ///       txn.dictionary["total"] = total
  ///       return total
  ///     }
  ///
  /// `body` runs on a thread of the workspace's or the target queue; again when it ended with `.conflict`. An error that it
  /// throws undoes the transaction and is rethrown; so is that of a write in it that fails, thrown or not; `abort()` gives
  /// ``WorkspaceError`` `.aborted`. The call returns after the observers of its changes, and of all commits before, have
  /// run. After shutdown it throws `.shutdown`.
  @discardableResult
  public func transact<T: Sendable>(
    _ types: [Any.Type] = [], _ body: @escaping @Sendable (TransactionContext) throws -> T
  ) async throws -> T {
    try await core.transactAsync(types, body)
  }

  /// Runs a transaction on this thread, and returns what its closure returns, when it is committed.
  ///
  ///     let old = try workspace.transactAndWait { txn in
  ///       defer { txn.dictionary["name"] = "new" }
  ///       return txn.dictionary["name", String.self]
  ///     }
  ///
  /// It waits for its turn, runs `body` (again after a `.conflict`), and returns after the observers of its changes, and of
  /// all commits before, have run, whether or not anything that it changed is observed; called by an observer, by a completion handler, or inside another workspace's transaction, it does not wait for
  /// those. Errors are as with ``transact(_:_:)``. Inside a transaction's closure of the same workspace it throws
  /// `.wouldDeadlock`.
  @discardableResult
  public func transactAndWait<T>(
    _ types: [Any.Type] = [], _ body: (TransactionContext) throws -> T
  ) throws -> T {
    try core.performAndWait(types, body)
  }
}

extension WorkspaceCore {
  /// How often a transaction is run again after conflicts before its caller is told.
  private static var conflictRetries: Int { 100 }

  package func perform(
    _ types: [Any.Type], body: @escaping @Sendable (TransactionContext) throws -> Void,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    do { try beginActivity() } catch {
      let failure = error
      if isForked { return completion(.failure(failure)) }
      return delivery.enqueue(for: self) { completion(.failure(failure)) }
    }
    let outcome = Completion(isUserCode: true, followsObservers: true) { [self] result in
      completion(result)
      endActivity()
    }
    pipeline.perform(types, completion: outcome, body: body)
  }

  package func performAndWait<T>(_ types: [Any.Type], _ body: (TransactionContext) throws -> T) throws -> T {
    if ThreadContext.mustNotWait(for: self) { throw nestedError }
    return try activity {
      let followsObservers = !ThreadContext.holdsUpOthers
      for _ in 0..<Self.conflictRetries {
        var value: T?
        do {
          try pipeline.performAndWait(types, followsObservers: followsObservers) { value = try body($0) }
        } catch let error as WorkspaceError where error.code == .conflict { continue }
        if let value { return value }
      }
      throw tooManyConflicts
    }
  }

  package func transactAsync<T: Sendable>(
    _ types: [Any.Type] = [], _ body: @escaping @Sendable (TransactionContext) throws -> T
  ) async throws -> T {
    for _ in 0..<Self.conflictRetries {
      let value = Lock<T?>(nil)
      do {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          perform(types) { transaction in
            let result = try body(transaction)
            value.withLock { $0 = result }
          } completion: {
            continuation.resume(with: $0)
          }
        }
      } catch let error as WorkspaceError where error.code == .conflict { continue }
      if let value = value.withLock({ $0 }) { return value }
    }
    throw tooManyConflicts
  }

  package var nestedError: WorkspaceError {
    WorkspaceError(
      .wouldDeadlock,
      "A call that waits for the workspace on '\(path)' was made inside one of its transactions, or by a value that it "
        + "encodes; use the transaction's own context there.", path: path)
  }

  private var tooManyConflicts: WorkspaceError {
    WorkspaceError(
      .conflict, "Other processes kept changing what a transaction on '\(path)' reads; try again later.", path: path)
  }

  /// Its caller learns only that it failed (A7).
  fileprivate func reportFailure(of error: any Error) {
    let wrapped = WorkspaceError.wrapping(error, path: path, doing: "A transaction on")
    if wrapped.code != .aborted { report(wrapped) }
  }
}

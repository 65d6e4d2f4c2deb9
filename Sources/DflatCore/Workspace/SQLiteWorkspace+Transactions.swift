extension SQLiteWorkspace {
  /// Queues a transaction over the listed types, and returns at once.
  ///
  ///     workspace.performChanges([]) { txn in
  ///       txn.dictionary["opened"] = Date()
  ///     } completionHandler: { succeeded in
  ///       print(succeeded)
  ///     }
  ///
  /// `changesHandler` runs at most once, on a thread of the workspace's own or the target queue. Transactions that
  /// share a type, and those that declare none, take effect in the order of their calls; others run side by side. The
  /// dictionary needs no declaration. A write in the closure that fails, for example because the value can't be
  /// encoded, fails the transaction, and so does a conflict with another process.
  ///
  /// - Parameters:
  ///   - transactionalObjectTypes: The types of entities that the closure reads or changes.
  ///   - changesHandler: The transaction's closure.
  ///   - completionHandler: Runs on the delivery queue, after the observers. Its argument is true if the transaction is
  ///     in the file or changed nothing; it is false if the transaction was aborted, failed, or came after shutdown. In
  ///     the last two cases, the error handler and the log receive the error.
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: sending @escaping ChangesHandler,
    completionHandler: sending CompletionHandler? = nil
  ) {
    let changes = UncheckedTransfer(changesHandler)
    let completion = UncheckedTransfer(completionHandler)
    let span = core.beginSpan(.transaction)
    core.perform(
      transactionalObjectTypes, body: { transaction in span.within { changes.value(transaction) } }
    ) { [core] result in
      var failure: (any Error)?
      if case .failure(let error) = result { failure = error }
      span?.end(throwing: failure)
      if let failure { core.reportFailure(of: failure) }
      completion.value?((try? result.get()) != nil)
    }
  }

  /// Runs a transaction, and returns the result of its closure once the transaction is committed.
  ///
  ///     let total = try await workspace.transact { txn in
  ///       let total = txn.dictionary["total", default: 0] + 1
  ///       txn.dictionary["total"] = total
  ///       return total
  ///     }
  ///
  /// `body` runs on a thread of the workspace's own or the target queue. It runs again after a conflict with another
  /// process, which changed objects of a declared type, or replaced the file. If it throws, the transaction is
  /// undone. The call returns after the observers of its changes, and of all earlier commits, have run.
  ///
  /// - Throws: The error that `body` throws, or the error of a dictionary write or a file operation in it that fails,
  ///   even if `body` doesn't throw that. ``WorkspaceError`` with code `.aborted` after `abort()`; `.conflict` if other
  ///   processes keep changing what `body` reads; the codes of `SQLiteWorkspace.open(filePath:options:)` if the file
  ///   can't be opened, read or written; `.outcomeUnknown` if a commit failed and the file can't be read to tell its
  ///   outcome; `.shutdown` after shutdown; `.forked` in a forked child.
  @discardableResult
  public func transact<T: Sendable>(
    _ types: [Any.Type] = [], _ body: @escaping @Sendable (TransactionContext) throws -> T
  ) async throws -> T {
    try await core.transactAsync(types, body)
  }

  /// Runs a transaction on this thread, and returns the result of its closure once the transaction is committed.
  ///
  ///     let old = try workspace.transactAndWait { txn in
  ///       defer { txn.dictionary["name"] = "new" }
  ///       return txn.dictionary["name", String.self]
  ///     }
  ///
  /// Blocks the calling thread until the transactions before it are done, until its own transaction is committed, and
  /// until the observers of its changes, and of all earlier commits, have run. It doesn't wait for observers if the
  /// caller is an observer, a completion handler, or inside another workspace's transaction. `body` runs again after a
  /// conflict, as in ``transact(_:_:)``.
  ///
  /// - Throws: The errors of ``transact(_:_:)``, and ``WorkspaceError`` with code `.wouldDeadlock` inside a
  ///   transaction's closure of the same workspace, or in the encoder of a value of its dictionary.
  @discardableResult
  public func transactAndWait<T>(
    _ types: [Any.Type] = [], _ body: (TransactionContext) throws -> T
  ) throws -> T {
    try core.performAndWait(types, body)
  }
}

extension WorkspaceCore {
  /// The number of conflicting runs after which a transaction fails with `.conflict`.
  private static var conflictRetries: Int { 100 }

  /// Queues a transaction. `completion` runs once, on the delivery queue; in a forked child, it runs on the calling
  /// thread.
  package func perform(
    _ types: [Any.Type], body: @escaping @Sendable (TransactionContext) throws -> Void,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    guard beginQueuedActivity(orFail: { completion(.failure($0)) }) else { return }
    queue(declaring: types.map(pipeline.lane(of:)), body: body) { [self] result in
      completion(result)
      endActivity()
    }
  }

  /// Begins the activity of a queued transaction. If it can't begin, passes the error to `completion`: on the delivery
  /// queue, or in a forked child on the calling thread.
  ///
  /// - Returns: True if the activity has begun.
  private func beginQueuedActivity(orFail completion: @escaping @Sendable (any Error) -> Void) -> Bool {
    do {
      if let refusal = refusedWrite() { throw refusal }
      try beginActivity()
      return true
    } catch {
      let failure = error
      if isForked { completion(failure) } else { delivery.enqueue(for: self) { completion(failure) } }
      return false
    }
  }

  /// Queues a transaction of an activity that has begun.
  private func queue(
    declaring lanes: [Lane], body: @escaping @Sendable (TransactionContext) throws -> Void,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let outcome = Completion(isUserCode: true, followsObservers: true, run: completion)
    pipeline.perform(declaring: lanes, completion: outcome, body: body)
  }

  /// Runs a transaction on this thread, again after each conflict.
  package func performAndWait<T>(_ types: [Any.Type], _ body: (TransactionContext) throws -> T) throws -> T {
    try performAndWait(declaring: types.map(pipeline.lane(of:)), body)
  }

  /// Runs a transaction that declares lanes, as above.
  package func performAndWait<T>(
    declaring lanes: [Lane], _ body: (TransactionContext) throws -> T
  ) throws -> T {
    try traced(.transaction) { span in
      if let refusal = refusedWrite() { throw refusal }
      if ThreadContext.mustNotWait(for: self) { throw nestedError }
      return try activity { try repeatAfterConflicts(declaring: lanes, in: span, body) }
    }
  }

  private func repeatAfterConflicts<T>(
    declaring lanes: [Lane], in span: (any WorkspaceSpan)?, _ body: (TransactionContext) throws -> T
  ) throws -> T {
    let followsObservers = !ThreadContext.holdsUpOthers
    for _ in 0..<Self.conflictRetries {
      var value: T?
      var hasConflict = false
      do {
        try pipeline.performAndWait(declaring: lanes, followsObservers: followsObservers) { transaction in
          defer { hasConflict = transaction.hasConflict }
          try span.within { value = try body(transaction) }
        }
      } catch let error as WorkspaceError where error.code == .conflict && (hasConflict || value != nil) {
        // The conflict is the transaction's own or its group's, and not an error that the closure has thrown.
        continue
      }
      if let value { return value }
    }
    throw tooManyConflicts
  }

  /// Runs a transaction on a worker, again after each conflict.
  package func transactAsync<T: Sendable>(
    _ types: [Any.Type] = [], _ body: @escaping @Sendable (TransactionContext) throws -> T
  ) async throws -> T {
    try await traced(.transaction) { span in
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
        guard beginQueuedActivity(orFail: { continuation.resume(throwing: $0) }) else { return }
        let lanes = types.map(pipeline.lane(of:))
        queue(declaring: lanes, runs: Self.conflictRetries, in: span, body) { [self] result in
          continuation.resume(with: result)
          endActivity()
        }
      }
    }
  }

  /// Queues a transaction of an activity that has begun, and again after each conflict. All runs are one activity: a
  /// transaction that was called before shutdown runs to its end. They are queued without the caller's task, whose
  /// executor may have no free thread while shutdown waits.
  ///
  /// - Parameter runs: The number of runs, this one included, after which a conflict is the outcome.
  private func queue<T: Sendable>(
    declaring lanes: [Lane], runs: Int, in span: (any WorkspaceSpan)?,
    _ body: @escaping @Sendable (TransactionContext) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    let run = Lock<(value: T?, hasConflict: Bool)>((nil, false))
    queue(declaring: lanes) { transaction in
      var value: T?
      defer { run.withLock { $0 = (value, transaction.hasConflict) } }
      try span.within { value = try body(transaction) }
    } completion: { [self] result in
      let (value, hasConflict) = run.withLock { $0 }
      switch result {
      case .success: if let value { return completion(.success(value)) }
      case .failure(let error as WorkspaceError) where error.code == .conflict && (hasConflict || value != nil): break
      case .failure(let error): return completion(.failure(error))
      }
      if runs == 1 { return completion(.failure(tooManyConflicts)) }
      queue(declaring: lanes, runs: runs - 1, in: span, body, completion: completion)
    }
  }

  private var tooManyConflicts: WorkspaceError {
    WorkspaceError(
      .conflict, "Other processes kept changing what a transaction on '\(path)' reads; try again later.", path: path)
  }

  /// Reports an error whose caller only learns that the transaction failed (A7).
  fileprivate func reportFailure(of error: any Error) {
    let wrapped = WorkspaceError.wrapping(error, path: path, doing: "A transaction on")
    if wrapped.code != .aborted { report(wrapped) }
  }
}

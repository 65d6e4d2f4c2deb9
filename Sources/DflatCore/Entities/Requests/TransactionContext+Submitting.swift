extension TransactionContext {
  /// Carries a request out, at once: reads of the closure that follow see it, everybody else when the transaction has
  /// committed.
  ///
  ///     switch try txn.submit(PostChangeRequest.creationRequest(post)) {
  ///     case .inserted(let post): print(post._rowid)
  ///     default: break
  ///     }
  ///
  /// Called in the transaction's closure, on its thread. The first submission waits for the baton.
  ///
  /// - Throws: `WorkspaceError`. After these the submission has done nothing, and the transaction goes on:
  ///   `.objectAlreadyExists`, when another object has the primary key or the value of a unique field, which `field` names;
  ///   `.objectNotFound`; `.outdatedRequest`; `.invalidRequest`; `.undeclaredType`; `.unencodable`; `.tooLarge`.
  ///   After `abort()` it throws `.aborted`. Any other, `.diskFull` for one, ends the transaction, and nothing of it is
  ///   committed.
  @discardableResult
  public func submit<T: ChangeRequest>(_ changeRequest: T) throws -> UpdatedObject<T.Element> {
    try requireRunning()
    return try changeRequest._submit(to: self)
  }

  /// Carries a request out, as ``submit(_:)-(T)`` does; throws `.objectNotFound` when there is none, as
  /// `changeRequest(_:)` and `deletionRequest(_:)` give none for an object that is not there.
  @discardableResult
  public func submit<T: ChangeRequest>(_ changeRequest: T?) throws -> UpdatedObject<T.Element> {
    try requireRunning()
    guard let changeRequest else { throw WorkspaceError.objectNotFound(T.Element.self, path: core.path) }
    return try changeRequest._submit(to: self)
  }

  /// Carries a request out. An error ends the transaction: nothing of it is committed, and its caller gets the error.
  ///
  ///     txn.try(submit: PostChangeRequest.creationRequest(post))
  ///
  /// To go on after an error, catch that of ``submit(_:)-(T)``.
  ///
  /// - Returns: Nil when ``submit(_:)-(T)`` would throw.
  @discardableResult
  public func `try`<T: ChangeRequest>(submit changeRequest: T) -> UpdatedObject<T.Element>? {
    failing { try submit(changeRequest) }
  }

  /// Carries a request out, if there is one. An error, or that there is none, ends the transaction.
  ///
  /// - Returns: Nil when ``submit(_:)-(T?)`` would throw.
  @discardableResult
  public func `try`<T: ChangeRequest>(submit changeRequest: T?) -> UpdatedObject<T.Element>? {
    failing { try submit(changeRequest) }
  }

  private func failing<T>(_ body: () throws -> T) -> T? {
    do { return try body() } catch {
      fail(.wrapping(error, path: core.path, doing: "Writing to"))
      return nil
    }
  }
}

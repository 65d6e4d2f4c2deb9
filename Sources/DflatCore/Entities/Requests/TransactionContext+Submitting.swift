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

  /// Carries a request out; an error goes to the workspace's error handler and its log.
  ///
  ///     txn.try(submit: PostChangeRequest.creationRequest(post))
  ///
  /// - Returns: Nil when ``submit(_:)-(T)`` would throw.
  @discardableResult
  public func `try`<T: ChangeRequest>(submit changeRequest: T) -> UpdatedObject<T.Element>? {
    reporting { try submit(changeRequest) }
  }

  /// Carries a request out, if there is one; an error, or that there is none, goes to the workspace's error handler and its
  /// log.
  ///
  /// - Returns: Nil when ``submit(_:)-(T?)`` would throw.
  @discardableResult
  public func `try`<T: ChangeRequest>(submit changeRequest: T?) -> UpdatedObject<T.Element>? {
    reporting { try submit(changeRequest) }
  }

  private func reporting<T>(_ body: () throws -> T) -> T? {
    do { return try body() } catch {
      let wrapped = WorkspaceError.wrapping(error, path: core.path, doing: "Writing to")
      // Who aborts knows.
      if wrapped.code != .aborted { core.report(wrapped) }
      return nil
    }
  }
}

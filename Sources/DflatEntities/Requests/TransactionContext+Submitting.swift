public import DflatCore

extension TransactionContext {
  /// Carries out a request at once. Later reads in the closure see its effect; others see it after the transaction
  /// commits.
  ///
  ///     switch try txn.submit(PostChangeRequest.creationRequest(post)) {
  ///     case .inserted(let post): print(post._rowid)
  ///     default: break
  ///     }
  ///
  /// Call it in the transaction's closure, on its thread. The first submission blocks the thread until the transaction
  /// has the write token, which one transaction at a time holds. Each blocks while it reads and writes the file.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError``. With these codes the submission has no effect, and the transaction
  ///   continues:
  ///   - `.objectAlreadyExists` if another object has the primary key or the value of a unique field, which `field`
  ///     names;
  ///   - `.objectNotFound` if the object was never stored, or has been deleted;
  ///   - `.outdatedRequest` if the object was changed after the request was made;
  ///   - `.invalidRequest` if the request was made outside the transaction, or was submitted before;
  ///   - `.undeclaredType` if the transaction didn't declare the type;
  ///   - `.undecodable` if the bytes of the object to change are damaged;
  ///   - `.unencodable` or `.tooLarge` if the new object can't be stored;
  ///   - `.newerFormat` if a newer program created an index that this one can't maintain, or stored a schema of the
  ///     type that this one can't read;
  ///   - `.searchUnavailable` if the type has a full-text index in the file, and the process's SQLite library has no
  ///     full-text search.
  ///
  ///   After `abort()`, and after the closure has returned, it throws `.aborted`. All other errors, `.conflict`,
  ///   `.corrupt`, `.diskFull`, `.busy` and `.schemaVersionMismatch` for example, fail the transaction: none of its
  ///   changes is committed, and later calls throw the same error.
  @discardableResult
  public func submit<T: ChangeRequest>(_ changeRequest: T) throws -> UpdatedObject<T.Element> {
    try requireRunning()
    return try changeRequest._submit(to: self)
  }

  /// Carries out a request, and blocks the calling thread, as ``submit(_:)-(T)`` does. Takes the optional result of
  /// `changeRequest(_:)` and `deletionRequest(_:)`.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.objectNotFound` if the request is nil; the errors of
  ///   ``submit(_:)-(T)``.
  @discardableResult
  public func submit<T: ChangeRequest>(_ changeRequest: T?) throws -> UpdatedObject<T.Element> {
    try requireRunning()
    guard let changeRequest else { throw WorkspaceError.objectNotFound(T.Element.self, path: core.path) }
    return try changeRequest._submit(to: self)
  }

  /// Carries out a request. An error fails the transaction: none of its changes is committed, and its caller gets the
  /// error.
  ///
  ///     txn.try(submit: PostChangeRequest.creationRequest(post))
  ///
  /// To continue after an error, use ``submit(_:)-(T)`` and catch it. Blocks as that does.
  ///
  /// - Returns: The result, or nil if ``submit(_:)-(T)`` would throw.
  @discardableResult
  public func `try`<T: ChangeRequest>(submit changeRequest: T) -> UpdatedObject<T.Element>? {
    failing { try submit(changeRequest) }
  }

  /// Carries out a request that is not nil. An error, or nil, fails the transaction. Blocks as ``submit(_:)-(T)`` does.
  ///
  /// - Returns: The result, or nil if ``submit(_:)-(T?)`` would throw.
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

public import DflatCore

/// Changes of single objects without an explicit request. They throw and block as ``TransactionContext/submit(_:)-(T)``
/// does.
extension TransactionContext {
  /// Inserts a copy of an object.
  ///
  ///     let stored = try txn.insert(Post(title: "first"))
  ///
  /// Blocks the calling thread as ``submit(_:)-(T)`` does.
  ///
  /// - Returns: The copy, with its identity.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.objectAlreadyExists` if another object has the primary key or
  ///   the value of a unique field; the other errors of ``submit(_:)-(T)``.
  @discardableResult
  public func insert<Element: Atom>(_ object: Element) throws -> Element {
    try TypedRowWriter<Element>(self, storage: entityStorage).insert(Element._Builder(from: object))
  }

  /// Changes a stored object.
  ///
  ///     try txn.update(post) { $0.priority += 1 }
  ///
  /// Blocks the calling thread as ``submit(_:)-(T)`` does.
  ///
  /// - Parameters:
  ///   - object: The object to change, identified by its row if it is from this file, else by its primary key.
  ///   - change: Changes the fields, which start with the values stored now, including the transaction's own
  ///     submissions. Runs once.
  /// - Returns: The object as it is stored now.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.objectNotFound` if there is no such object, and the errors
  ///   that `change` throws; nothing is changed then. Also throws the errors of ``submit(_:)-(T)``.
  @discardableResult
  public func update<Element: Atom>(
    _ object: Element, _ change: (inout Element._Builder) throws -> Void
  ) throws -> Element {
    guard let request = EntityChangeRequest<Element>.changeRequest(object, in: self) else {
      throw WorkspaceError.objectNotFound(Element.self, path: core.path)
    }
    try request.requireValid()
    try change(&request._values)
    return try request._submit(to: self).present
  }

  /// Inserts an object, or replaces it if it exists; see ``EntityChangeRequest/upsertRequest(_:)``.
  ///
  /// Blocks the calling thread as ``submit(_:)-(T)`` does.
  ///
  /// - Returns: The object as it is stored now.
  /// - Throws: The errors of ``submit(_:)-(T)``.
  @discardableResult
  public func upsert<Element: Atom>(_ object: Element) throws -> Element {
    try TypedRowWriter<Element>(self, storage: entityStorage)
      .upsert(object._identity, Element._Builder(from: object)).present
  }

  /// Deletes a stored object.
  ///
  /// Blocks the calling thread as ``submit(_:)-(T)`` does.
  ///
  /// - Parameter object: The object to delete, identified by its row if it is from this file, else by its primary key.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.objectNotFound` if there is no such object; the other errors
  ///   of ``submit(_:)-(T)``.
  public func delete<Element: Atom>(_ object: Element) throws {
    try TypedRowWriter<Element>(self, storage: entityStorage).delete(object)
  }
}

extension UpdatedObject {
  /// The object after a submission other than a deletion.
  fileprivate var present: Element {
    guard let object else { preconditionFailure("Only a deletion can leave no object.") }
    return object
  }
}

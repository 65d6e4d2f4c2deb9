/// Changes of single objects, without requests of one's own. They throw what ``TransactionContext/submit(_:)-(T)`` does.
extension TransactionContext {
  /// Inserts a copy of an object.
  ///
  ///     let stored = try txn.insert(Post(title: "first"))
  ///
  /// - Returns: The copy, with its identity.
  @discardableResult
  public func insert<Element: Atom>(_ object: Element) throws -> Element {
    try EntityWriting<Element>(self).insert(Element._Builder(from: object))
  }

  /// Changes a stored object.
  ///
  ///     try txn.update(post) { $0.priority += 1 }
  ///
  /// - Parameters:
  ///   - object: It says which object: by its row if it is one of this file, else by its primary key.
  ///   - change: Gets the fields as they are stored now, the transaction's own submissions included. Runs once.
  /// - Returns: The object as it is now.
  /// - Throws: `.objectNotFound` when it is not there, and what `change` throws: then nothing is changed.
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

  /// Stores an object, whether it is there or not; see ``EntityChangeRequest/upsertRequest(_:)``.
  ///
  /// - Returns: The object as it is now.
  @discardableResult
  public func upsert<Element: Atom>(_ object: Element) throws -> Element {
    try EntityWriting<Element>(self).upsert(object._identity, Element._Builder(from: object)).present
  }

  /// Deletes a stored object.
  ///
  /// - Parameter object: It says which object: by its row if it is one of this file, else by its primary key.
  /// - Throws: `.objectNotFound` when it is not there.
  public func delete<Element: Atom>(_ object: Element) throws {
    try EntityWriting<Element>(self).delete(object)
  }
}

extension UpdatedObject {
  /// What is there after anything but a deletion.
  fileprivate var present: Element {
    guard let object else { preconditionFailure("Only a deletion leaves no object.") }
    return object
  }
}

public import DflatCore

/// Changes of many objects without loading all of them.
///
/// Call them in the transaction's closure, on its thread. They see the transaction's earlier submissions, and later
/// reads see their changes. They throw and block as ``TransactionContext/submit(_:)-(T)`` does.
extension TransactionContext {
  /// Deletes every object of a type.
  ///
  ///     try txn.deleteAll(Post.self)
  ///
  /// Blocks the calling thread as ``submit(_:)-(T)`` does.
  ///
  /// - Returns: The number of deleted objects.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undeclaredType` if the transaction didn't declare the type;
  ///   the other errors of ``submit(_:)-(T)``.
  @discardableResult
  public func deleteAll<Element: Atom>(_ type: Element.Type) throws -> Int {
    try TypedRowWriter<Element>(self, storage: entityStorage).deleteAll(where: nil)
  }

  /// Deletes the objects that match a predicate.
  ///
  ///     try txn.deleteAll(Post.self, where: Post.priority < 0)
  ///
  /// A damaged object for which the predicate can't be evaluated stays. Blocks the calling thread as ``submit(_:)-(T)``
  /// does.
  ///
  /// - Returns: The number of deleted objects.
  /// - Throws: The errors of ``deleteAll(_:)``.
  @discardableResult
  public func deleteAll<Element: Atom, Predicate: Expr>(
    _ type: Element.Type, where predicate: Predicate
  ) throws -> Int where Predicate.ResultType == Bool, Predicate.Element == Element {
    try TypedRowWriter<Element>(self, storage: entityStorage).deleteAll(where: predicate.node)
  }

  /// Changes every object of a type; see ``updateAll(_:where:_:)``.
  ///
  /// Blocks the calling thread as ``submit(_:)-(T)`` does.
  ///
  /// - Returns: The number of objects that `change` ran for.
  /// - Throws: The errors of ``updateAll(_:where:_:)``.
  @discardableResult
  public func updateAll<Element: Atom>(
    _ type: Element.Type, _ change: (inout Element._Builder) throws -> Void
  ) throws -> Int {
    try TypedRowWriter<Element>(self, storage: entityStorage).updateAll(where: nil, change)
  }

  /// Changes the objects that match a predicate.
  ///
  ///     try txn.updateAll(Post.self, where: Post.title.in(titles)) { $0.priority += 1 }
  ///
  /// Damaged objects stay as they are. Changed ones keep the fields that only the schema of a newer program has, as in
  /// ``EntityChangeRequest``. Blocks the calling thread as ``submit(_:)-(T)`` does.
  ///
  /// - Parameters:
  ///   - type: The type of the objects.
  ///   - predicate: The condition, evaluated before the first change: later changes don't affect which objects match.
  ///   - change: Changes the fields of one object. Runs once for each match, in insertion order. An object whose fields
  ///     stay the same is not written.
  /// - Returns: The number of objects that `change` ran for.
  /// - Throws: The errors that `change` throws, and ``/DflatCore/WorkspaceError`` with code `.objectAlreadyExists` if
  ///   at any moment two objects would have the same primary key or value of a unique field. No object is changed then,
  ///   the other writes of `change`, to keys too, are undone, and the transaction continues. Also throws the errors of
  ///   ``submit(_:)-(T)``.
  @discardableResult
  public func updateAll<Element: Atom, Predicate: Expr>(
    _ type: Element.Type, where predicate: Predicate, _ change: (inout Element._Builder) throws -> Void
  ) throws -> Int where Predicate.ResultType == Bool, Predicate.Element == Element {
    try TypedRowWriter<Element>(self, storage: entityStorage).updateAll(where: predicate.node, change)
  }
}

/// Changes of many objects, without loading them all.
///
/// They are called in the transaction's closure, on its thread, and see what the transaction has submitted before; reads
/// that follow see what they did. Besides what is named they throw what ``TransactionContext/submit(_:)-(T)`` throws.
extension TransactionContext {
  /// Deletes every object of a type.
  ///
  ///     try txn.deleteAll(Post.self)
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func deleteAll<Element: Atom>(_ type: Element.Type) throws -> Int {
    try EntityWriting<Element>(self).deleteAll(where: nil)
  }

  /// Deletes the objects for which a predicate is true.
  ///
  ///     try txn.deleteAll(Post.self, where: Post.priority < 0)
  ///
  /// - Returns: How many there were. An object of which the predicate can't be asked, because it is damaged, stays.
  @discardableResult
  public func deleteAll<Element: Atom, Predicate: Expr>(
    _ type: Element.Type, where predicate: Predicate
  ) throws -> Int where Predicate.ResultType == Bool, Predicate.Element == Element {
    try EntityWriting<Element>(self).deleteAll(where: predicate.node)
  }

  /// Changes every object of a type; see ``updateAll(_:where:_:)``.
  ///
  /// - Returns: How many there are.
  @discardableResult
  public func updateAll<Element: Atom>(
    _ type: Element.Type, _ change: (inout Element._Builder) throws -> Void
  ) throws -> Int {
    try EntityWriting<Element>(self).updateAll(where: nil, change)
  }

  /// Changes the objects for which a predicate is true.
  ///
  ///     try txn.updateAll(Post.self, where: Post.title.in(titles)) { $0.priority += 1 }
  ///
  /// - Parameters:
  ///   - predicate: It is asked before anything is changed: what `change` does makes no object match or not.
  ///   - change: Runs once for each of them, in the order of their insertion, with the object's fields. An object that it
  ///     leaves as it is is not written.
  /// - Returns: How many objects matched.
  /// - Throws: What `change` throws, `.objectAlreadyExists` when two objects would have one primary key or one value of a
  ///   unique field at any moment: then none of them is changed, what `change` did to other objects and to keys is undone,
  ///   and the transaction goes on. An object that is damaged is left as it is.
  @discardableResult
  public func updateAll<Element: Atom, Predicate: Expr>(
    _ type: Element.Type, where predicate: Predicate, _ change: (inout Element._Builder) throws -> Void
  ) throws -> Int where Predicate.ResultType == Bool, Predicate.Element == Element {
    try EntityWriting<Element>(self).updateAll(where: predicate.node, change)
  }
}

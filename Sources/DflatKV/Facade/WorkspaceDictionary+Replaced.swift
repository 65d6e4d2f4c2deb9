import DflatCore
import DflatSupport

extension WorkspaceDictionary {
  /// Returns the values that writes have replaced although their types could not read them, newest first.
  /// ``ReplacedValue`` describes which values the file keeps.
  ///
  ///     for replaced in try dictionary.replacedValues() { print(replaced.key, replaced.date, replaced.id) }
  ///
  /// Lists what is committed, in a transaction's closure without what the transaction has restored or removed. Removing
  /// keys or a whole namespace doesn't remove their replaced values; ``removeReplacedValues(_:)`` does.
  ///
  /// Blocks the calling thread until the values are read.
  ///
  /// - Parameter inAllNamespaces: True to list the values of all namespaces, also of those that have no more keys.
  ///   False lists those of this one.
  /// - Throws: ``/DflatCore/WorkspaceError`` with a code that ``WorkspaceDictionary`` lists.
  public func replacedValues(inAllNamespaces: Bool = false) throws -> [ReplacedValue] {
    let values = try store.replacedValues(of: inAllNamespaces ? nil : namespaceName)
    guard let seal else { return values }
    let name = namespaceName
    return values.map { $0.namespace.hasSameBytes(as: name) ? $0.opened(by: seal) : $0 }
  }

  /// Puts a replaced value back in its key and namespace, and removes it from the list. Whatever value the key has now
  /// is replaced, and kept aside in turn, so that another call undoes this one. Observers receive it like any other
  /// write.
  ///
  /// Inside a transaction's closure it is part of that transaction. If the transaction then changes the key again, for
  /// example by restoring another of its values, the list keeps this one. Elsewhere it is a transaction of its own, and
  /// blocks the calling thread as ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does: until the transaction is
  /// committed and, unless a callback calls it, its observers have run.
  ///
  /// - Returns: False if the file no longer has the replaced value; then nothing changes.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` if this version doesn't know the type of the
  ///   replaced value, `.corrupt` if its row is damaged, or `.tooLarge` if the key's current value is too large to be
  ///   kept aside; then nothing changes. Also the errors of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  @discardableResult
  public func restoreReplacedValue(_ id: ReplacedValue.ID) throws -> Bool {
    try atomically { try store.restoreReplaced(id, in: $0) }
  }

  /// Puts a replaced value back as the blocking overload does, without blocking the caller's thread.
  ///
  /// - Returns: False if the file no longer has the replaced value; then nothing changes.
  /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
  @discardableResult
  public func restoreReplacedValue(_ id: ReplacedValue.ID) async throws -> Bool {
    try await store.core.transactAsync { try store.restoreReplaced(id, in: $0) }
  }

  /// Removes replaced values, of any namespace, for good.
  ///
  ///     try dictionary.removeReplacedValues(dictionary.replacedValues().map(\.id))
  ///
  /// Inside a transaction's closure it is part of that transaction. Elsewhere it is a transaction of its own, and
  /// blocks the calling thread as ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does: until the transaction is
  /// committed.
  ///
  /// - Returns: The number of values that were there.
  /// - Throws: The errors of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  @discardableResult
  public func removeReplacedValues(_ ids: [ReplacedValue.ID]) throws -> Int {
    try atomically { try store.removeReplaced(ids, in: $0) }
  }

  /// Removes replaced values as the blocking overload does, without blocking the caller's thread.
  ///
  /// - Returns: The number of values that were there.
  /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
  @discardableResult
  public func removeReplacedValues(_ ids: [ReplacedValue.ID]) async throws -> Int {
    try await store.core.transactAsync { try store.removeReplaced(ids, in: $0) }
  }
}

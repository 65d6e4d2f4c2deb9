import DflatCore

// Sealing all values of a namespace at once: those that aren't sealed yet, or that another key has sealed.

extension WorkspaceDictionary {
  /// Seals the values of this dictionary's namespace with another key, in this thread's transaction or else in one of
  /// its own. The replaced values of the namespace that `old` opens are sealed with it, too. All or nothing is changed.
  ///
  /// - Parameters:
  ///   - old: The seal of the present values; nil if they aren't sealed.
  ///   - new: The new seal. Values that have it already stay as they are.
  /// - Returns: The number of values that were sealed, without the replaced ones.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.notSealed`, `.wrongSealKey` or `.sealBroken`, naming the first key whose
  ///   value `old` doesn't open, or with code `.undecodable`; the errors of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  package func reseal(from old: NamespaceSeal?, to new: NamespaceSeal) throws -> Int {
    try atomically { try reseal(from: old, to: new, in: $0) }
  }

  /// Seals the values as the blocking overload does, without blocking the caller's thread.
  package func resealAsync(from old: NamespaceSeal?, to new: NamespaceSeal) async throws -> Int {
    try await store.core.transactAsync { try reseal(from: old, to: new, in: $0) }
  }

  private func reseal(
    from old: NamespaceSeal?, to new: NamespaceSeal, in transaction: TransactionContext
  ) throws -> Int {
    try transaction.requireRunning()
    let found = try store.readableEntries(of: PrefixRange(namespace: namespace, prefix: ""), limit: nil)
    if let error = found.unreadable.first?.error { throw error }
    // Stage nothing before all values are sealed: the caller may go on after an error.
    var sealed: [Operation] = []
    for entry in found.entries {
      let present = CachedValue(entry.value)
      if new.hasCurrentKey(present) { continue }
      let content = try explaining(entry.key) { try Self.content(of: present, forKey: entry.key, sealedBy: old) }
      let value = try new.sealed(content, forKey: entry.key, isResealing: true)
      sealed.append(.set(hashed(entry.key), entry.expiration.map { value.expiring(at: $0) } ?? value))
    }
    try store.sealReplaced(of: namespaceName, in: transaction) { key, value in
      guard !new.hasCurrentKey(value), let content = try? Self.content(of: value, forKey: key, sealedBy: old) else {
        return nil
      }
      return try new.sealed(content, forKey: key)
    }
    // What has expired must not stay as it was.
    try store.stageExpired(of: namespaceName, in: transaction)
    for operation in sealed { try store.stage(operation, in: transaction) }
    if !sealed.isEmpty { transaction.changes(of: store).endRotation() }
    return sealed.count
  }

  private static func content(
    of value: CachedValue, forKey key: String, sealedBy old: NamespaceSeal?
  ) throws -> CachedValue {
    if let old { return try old.opened(value, forKey: key) }
    guard value.kind != .sealed else { throw WorkspaceError.wrongSealKey }
    return value
  }
}

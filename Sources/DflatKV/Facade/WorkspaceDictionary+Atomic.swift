import DflatCore

extension WorkspaceDictionary {
  /// Changes a value in place, atomically in all processes.
  ///
  ///     let visits = try dictionary.update("visits", default: 0) { $0 += 1 }
  ///
  /// It is a transaction of its own, or a part of the one whose closure it is called in. `body` runs once, on this thread.
  ///
  /// - Returns: The new value, committed.
  /// - Throws: What `body` throws, and then nothing is changed; `.typeMismatch`, `.undecodable`, errors of the file.
  @discardableResult
  public func update<T: DictionaryCodable>(
    _ key: String, default value: T, _ body: (inout T) throws -> Void
  ) throws -> T {
    try atomically { transaction in
      var current = try self.value(forKey: key, as: T.self) ?? value
      try body(&current)
      try stage(current, forKey: key, in: transaction)
      return current
    }
  }

  /// Changes a value in place, atomically in all processes, without blocking the caller's thread.
  @discardableResult
  public func update<T: DictionaryCodable>(
    _ key: String, default value: T, _ body: @escaping @Sendable (inout T) throws -> Void
  ) async throws -> T {
    try await store.core.transactAsync { transaction in
      var current = try self.value(forKey: key, as: T.self) ?? value
      try body(&current)
      try stage(current, forKey: key, in: transaction)
      return current
    }
  }

  /// Sets a key to `new` if it is `expected`, nil standing for no value, atomically in all processes.
  ///
  /// - Returns: False when the value was another one; nothing is changed then.
  /// - Throws: `.typeMismatch`, `.undecodable`, `.unencodable`, errors of the file.
  public func compareAndSet<T: DictionaryCodable>(_ key: String, expected: T?, new: T?) throws -> Bool {
    try atomically { try exchange(key, expected, new, in: $0) }
  }

  /// Sets a key to `new` if it is `expected`, without blocking the caller's thread.
  public func compareAndSet<T: DictionaryCodable>(_ key: String, expected: T?, new: T?) async throws -> Bool {
    try await store.core.transactAsync { try exchange(key, expected, new, in: $0) }
  }

  private func exchange<T: DictionaryCodable>(
    _ key: String, _ expected: T?, _ new: T?, in transaction: TransactionContext
  ) throws -> Bool {
    let current = try value(forKey: key, as: T.self)
    guard isSame(current, expected) else { return false }
    try stage(new, forKey: key, in: transaction)
    return true
  }

  /// Equality in which NaN is NaN.
  private func isSame<T: DictionaryCodable>(_ a: T?, _ b: T?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    if a == b { return true }
    guard let first = a as? any DictionaryNativeValue, let second = b as? any DictionaryNativeValue else {
      return false
    }
    return first._slot.value.isIdentical(to: second._slot.value)
  }

  private func stage<T: DictionaryCodable>(_ value: T?, forKey key: String, in transaction: TransactionContext) throws {
    let encoded: CachedValue
    do { encoded = try value.map { try ValueCoder.encode($0) } ?? .absent } catch {
      throw WorkspaceError(.unencodable, "The value can't be encoded; nothing was changed.", underlying: error)
        .about(key: key, namespace: namespaceName, path: store.core.path)
    }
    try store.stage(.set(hashed(key), encoded), in: transaction)
  }

  private func atomically<T>(_ body: (TransactionContext) throws -> T) throws -> T {
    if let transaction = ThreadContext.transaction(of: store.core) { return try body(transaction) }
    return try store.core.performAndWait([], body)
  }
}

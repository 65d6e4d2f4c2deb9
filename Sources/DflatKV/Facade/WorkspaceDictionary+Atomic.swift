extension WorkspaceDictionary {
  /// Changes a value in place, atomically across processes.
  ///
  ///     let visits = try dictionary.update("visits", default: 0) { $0 += 1 }
  ///
  /// Inside a transaction's closure the update is part of that transaction, which fails if the value can't be encoded.
  /// Elsewhere it is a transaction of its own, and blocks the calling thread until the transaction is committed and,
  /// unless a callback calls it, its observers have run. `body` runs once, on this thread.
  ///
  /// - Returns: The new value.
  /// - Throws: Rethrows the errors of `body`, and then changes nothing. ``WorkspaceError`` with code `.typeMismatch` if
  ///   the stored value is of another type, `.undecodable` if it can't be decoded, `.unencodable` if the new one can't
  ///   be encoded, `.shutdown` after shutdown, `.aborted` in an aborted transaction, `.wouldDeadlock` in an encoder, or
  ///   that of a failure to read the file or commit.
  @_disfavoredOverload
  @discardableResult
  public func update<T: DictionaryCodable>(
    _ key: String, default value: T, _ body: (inout T) throws -> Void
  ) throws -> T {
    try update(key, by: CodableCoding<T>.self, default: value, body)
  }

  /// Changes a value in place, atomically across processes, without blocking the caller's thread. `body` runs on a
  /// thread of the workspace or its target queue.
  ///
  /// - Returns: The new, committed value.
  /// - Throws: The same errors as the blocking overload, except `.wouldDeadlock`.
  @_disfavoredOverload
  @discardableResult
  public func update<T: DictionaryCodable>(
    _ key: String, default value: T, _ body: @escaping @Sendable (inout T) throws -> Void
  ) async throws -> T {
    try await updateAsync(key, by: CodableCoding<T>.self, default: value, body)
  }

  /// Sets a key to `new` if its value is `expected`, atomically across processes; nil stands for no value.
  ///
  /// Inside a transaction's closure it is part of that transaction. Elsewhere it is a transaction of its own, and
  /// blocks the calling thread until the transaction is committed and, unless a callback calls it, its observers have
  /// run.
  ///
  /// - Returns: True if the value was `expected`. Otherwise false, and nothing changes.
  /// - Throws: ``WorkspaceError`` with code `.typeMismatch` if the stored value is of another type, `.undecodable` if
  ///   it can't be decoded, `.unencodable` if the new one can't be encoded, `.shutdown` after shutdown, `.aborted` in
  ///   an aborted transaction, `.wouldDeadlock` in an encoder, or that of a failure to read the file or commit.
  @_disfavoredOverload
  public func compareAndSet<T: DictionaryCodable>(_ key: String, expected: T?, new: T?) throws -> Bool {
    try compareAndSet(key, by: CodableCoding<T>.self, expected: expected, new: new)
  }

  /// Sets a key to `new` if its value is `expected`, without blocking the caller's thread.
  ///
  /// - Returns: True if the value was `expected`. Otherwise false, and nothing changes.
  /// - Throws: The same errors as the blocking overload, except `.wouldDeadlock`.
  @_disfavoredOverload
  public func compareAndSet<T: DictionaryCodable>(_ key: String, expected: T?, new: T?) async throws -> Bool {
    try await compareAndSetAsync(key, by: CodableCoding<T>.self, expected: expected, new: new)
  }
}

extension WorkspaceDictionary {
  /// Changes a value in place, atomically across processes. Fields that the stored value lacks have their values in the
  /// default.
  ///
  ///     let visits = try dictionary.update("visits", default: 0) { $0 += 1 }
  ///
  /// A value that expires still does so at the same instant.
  ///
  /// Inside a transaction's closure the update is part of that transaction, which fails if the value can't be encoded.
  /// Elsewhere it is a transaction of its own, and blocks the calling thread as
  /// ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does: until the transaction is committed and, unless a
  /// callback calls it, its observers have run. `body` runs on this thread, and again if another process replaced the
  /// file meanwhile.
  ///
  /// - Returns: The new value.
  /// - Throws: The errors of `body`, and then nothing changes. The errors of ``value(forKey:as:)``, and
  ///   ``/DflatCore/WorkspaceError`` with code `.unencodable` if the new value can't be encoded, or `.wouldDeadlock` in
  ///   an encoder. Outside a transaction's closure also the errors of
  ///   ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  @_disfavoredOverload
  @discardableResult
  public func update<T: DictionaryCodable>(
    _ key: String, default value: T, _ body: (inout T) throws -> Void
  ) throws -> T {
    try update(key, by: CodableCoding<T>.self, default: value, body)
  }

  /// Changes a value in place, atomically across processes, without blocking the caller's thread. `body` runs on a
  /// thread of the workspace or its target queue, and again if another process replaced the file meanwhile.
  ///
  /// - Returns: The new, committed value.
  /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
  @_disfavoredOverload
  @discardableResult
  public func update<T: DictionaryCodable>(
    _ key: String, default value: T, _ body: @escaping @Sendable (inout T) throws -> Void
  ) async throws -> T {
    try await updateAsync(key, by: CodableCoding<T>.self, default: value, body)
  }

  /// Sets a key to `new` if its value is `expected`, atomically across processes; nil, also that of an optional type
  /// `T`, means no value. Compares values, not their bytes.
  ///
  /// Inside a transaction's closure it is part of that transaction. Elsewhere it is a transaction of its own, and
  /// blocks the calling thread as ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does: until the transaction is
  /// committed and, unless a callback calls it, its observers have run.
  ///
  /// - Returns: True if the value was `expected`. Otherwise false, and nothing changes.
  /// - Throws: The errors of ``value(forKey:as:)``, and ``/DflatCore/WorkspaceError`` with code `.unencodable` if the
  ///   new value can't be encoded, or `.wouldDeadlock` in an encoder. Outside a transaction's closure also the errors
  ///   of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  @_disfavoredOverload
  public func compareAndSet<T: DictionaryCodable>(_ key: String, expected: T?, new: T?) throws -> Bool {
    try compareAndSet(key, by: CodableCoding<T>.self, expected: expected, new: new)
  }

  /// Sets a key to `new` if its value is `expected`, without blocking the caller's thread.
  ///
  /// - Returns: True if the value was `expected`. Otherwise false, and nothing changes.
  /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
  @_disfavoredOverload
  public func compareAndSet<T: DictionaryCodable>(_ key: String, expected: T?, new: T?) async throws -> Bool {
    try await compareAndSetAsync(key, by: CodableCoding<T>.self, expected: expected, new: new)
  }
}

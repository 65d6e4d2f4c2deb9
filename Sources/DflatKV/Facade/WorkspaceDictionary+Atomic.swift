extension WorkspaceDictionary {
  /// Changes a value in place, atomically in all processes.
  ///
  ///     let visits = try dictionary.update("visits", default: 0) { $0 += 1 }
  ///
  /// It is a transaction of its own, or a part of the one whose closure it is called in, which fails if the value can't be
  /// encoded. `body` runs once, on this thread.
  ///
  /// - Returns: The new value, committed.
  /// - Throws: What `body` throws, and then nothing is changed; `.typeMismatch`, `.undecodable`, errors of the file.
  @_disfavoredOverload
  @discardableResult
  public func update<T: DictionaryCodable>(
    _ key: String, default value: T, _ body: (inout T) throws -> Void
  ) throws -> T {
    try update(key, by: CodableCoding<T>.self, default: value, body)
  }

  /// Changes a value in place, atomically in all processes, without blocking the caller's thread.
  @_disfavoredOverload
  @discardableResult
  public func update<T: DictionaryCodable>(
    _ key: String, default value: T, _ body: @escaping @Sendable (inout T) throws -> Void
  ) async throws -> T {
    try await updateAsync(key, by: CodableCoding<T>.self, default: value, body)
  }

  /// Sets a key to `new` if it is `expected`, nil standing for no value, atomically in all processes.
  ///
  /// - Returns: False when the value was another one; nothing is changed then.
  /// - Throws: `.typeMismatch`, `.undecodable`, `.unencodable`, errors of the file.
  @_disfavoredOverload
  public func compareAndSet<T: DictionaryCodable>(_ key: String, expected: T?, new: T?) throws -> Bool {
    try compareAndSet(key, by: CodableCoding<T>.self, expected: expected, new: new)
  }

  /// Sets a key to `new` if it is `expected`, without blocking the caller's thread.
  @_disfavoredOverload
  public func compareAndSet<T: DictionaryCodable>(_ key: String, expected: T?, new: T?) async throws -> Bool {
    try await compareAndSetAsync(key, by: CodableCoding<T>.self, expected: expected, new: new)
  }
}

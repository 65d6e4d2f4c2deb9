public import DflatCore

// The overloads of the other files for FlatBuffers types, whose bytes FlatBuffers implementations in other languages
// can read.

extension WorkspaceDictionary {
  // MARK: Subscripts

  /// Accesses the value of a key; nil if there is none of this type and schema version. Setting nil removes the key.
  ///
  ///     dictionary["draft"] = Post(title: "…")
  ///     let draft = dictionary["draft", Post.self]
  ///
  /// A plain write keeps the value, and the thread that commits it encodes it. A value beyond the format's limits fails
  /// then, with code `.unencodable`, and the other writes of the commit succeed. In a transaction's closure, values are
  /// encoded at once.
  ///
  /// The file keeps the schema of a generated root with its values. A write of a type whose schema contradicts the
  /// file's fails with code `.schemaVersionMismatch`, a plain write alone, any other with its transaction.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript<T: DictionaryFlatBuffersCodable>(_ key: String, _ type: T.Type) -> T? {
    get { get(key, by: FlatBuffersCoding<T>.self) }
    nonmutating set { set(newValue, forKey: key, by: FlatBuffersCoding<T>.self) }
  }

  /// Accesses the value of a key, with its type inferred.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript<T: DictionaryFlatBuffersCodable>(_ key: String) -> T? {
    get { get(key, by: FlatBuffersCoding<T>.self) }
    nonmutating set { set(newValue, forKey: key, by: FlatBuffersCoding<T>.self) }
  }

  /// Accesses the value of a key, or a default, which is not stored.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript<T: DictionaryFlatBuffersCodable>(_ key: String, default value: @autoclosure () -> T) -> T {
    get { get(key, by: FlatBuffersCoding<T>.self) ?? value() }
    nonmutating set { set(newValue, forKey: key, by: FlatBuffersCoding<T>.self) }
  }

  // MARK: Reading

  /// Returns the value of a key as a FlatBuffers type; nil if there is none.
  ///
  /// Blocks the calling thread until the value is loaded, unless it is in the cache. The first read of a value verifies
  /// its bytes, and may block until the file's list of schemas is read and compared with `T`'s schema.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.typeMismatch` if the value is of another type,
  ///   `.schemaVersionMismatch` if its schema has another version than `T`'s, or if the file's schema of the type
  ///   contradicts `T`'s, `.newerFormat` if only a newer program can read the file's schema, `.undecodable`, naming
  ///   table and field, if its bytes are damaged, `.unencodable` if it is a queued plain write of another FlatBuffers
  ///   type that can't be encoded, or another code that ``WorkspaceDictionary`` lists. Each names the key. The stored
  ///   value stays as it is.
  public func value<T: DictionaryFlatBuffersCodable>(forKey key: String, as type: T.Type) throws -> T? {
    try value(forKey: key, by: FlatBuffersCoding<T>.self)
  }

  // MARK: Atomic changes

  /// Changes a value in place, atomically across processes.
  ///
  ///     try dictionary.update("origin", default: Vec3()) { $0.x += 1 }
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
  @discardableResult
  public func update<T: DictionaryFlatBuffersCodable>(
    _ key: String, default value: T, _ body: (inout T) throws -> Void
  ) throws -> T {
    try update(key, by: FlatBuffersCoding<T>.self, default: value, body)
  }

  /// Changes a value in place, atomically across processes, without blocking the caller's thread. `body` runs on a
  /// thread of the workspace or its target queue, and again if another process replaced the file meanwhile.
  ///
  /// - Returns: The new, committed value.
  /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
  @discardableResult
  public func update<T: DictionaryFlatBuffersCodable>(
    _ key: String, default value: T, _ body: @escaping @Sendable (inout T) throws -> Void
  ) async throws -> T {
    try await updateAsync(key, by: FlatBuffersCoding<T>.self, default: value, body)
  }

  /// Sets a key to `new` if its value is `expected`, atomically across processes; nil means no value.
  ///
  /// Inside a transaction's closure it is part of that transaction. Elsewhere it is a transaction of its own, and
  /// blocks the calling thread as ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does: until the transaction is
  /// committed and, unless a callback calls it, its observers have run.
  ///
  /// - Returns: True if the value was `expected`. Otherwise false, and nothing changes.
  /// - Throws: The errors of ``value(forKey:as:)``, and ``/DflatCore/WorkspaceError`` with code `.unencodable` if the
  ///   new value can't be encoded, or `.wouldDeadlock` in an encoder. Outside a transaction's closure also the errors
  ///   of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  public func compareAndSet<T: DictionaryFlatBuffersCodable>(_ key: String, expected: T?, new: T?) throws -> Bool {
    try compareAndSet(key, by: FlatBuffersCoding<T>.self, expected: expected, new: new)
  }

  /// Sets a key to `new` if its value is `expected`, without blocking the caller's thread.
  ///
  /// - Returns: True if the value was `expected`. Otherwise false, and nothing changes.
  /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
  public func compareAndSet<T: DictionaryFlatBuffersCodable>(_ key: String, expected: T?, new: T?) async throws -> Bool
  {
    try await compareAndSetAsync(key, by: FlatBuffersCoding<T>.self, expected: expected, new: new)
  }

  // MARK: Observing

  /// Observes a key: delivers its committed value now, then every committed change by any process.
  ///
  /// A value of another type or schema version is delivered as absent (`.initial(nil)`, `.deleted`) and logged.
  /// Otherwise the overload for `Codable` types describes the delivery, and the time for which the call blocks the
  /// calling thread. Keep the result: releasing it cancels the subscription.
  public func subscribe<Element: DictionaryFlatBuffersCodable>(
    _ key: String, of type: Element.Type,
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<Element>) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key, by: FlatBuffersCoding<Element>.self, changeHandler: changeHandler)
  }

  /// Returns a sequence of the key's values: the committed one now, then each committed change; nil means no
  /// value. Blocks the calling thread as the overload for `Codable` types does.
  public func subscribe<Element: DictionaryFlatBuffersCodable>(
    _ key: String, of type: Element.Type,
    bufferingPolicy: AsyncStream<Element?>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Element?> {
    stream(key, by: FlatBuffersCoding<Element>.self, bufferingPolicy: bufferingPolicy) { $0 }
  }
}

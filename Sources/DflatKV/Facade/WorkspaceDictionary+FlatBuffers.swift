public import DflatCore

// FlatBuffers values: the overloads of the other files again, for types whose bytes other languages' FlatBuffers read.

extension WorkspaceDictionary {
  // MARK: Subscripts

  /// The value of a key; nil when there is none of this type, or one of another schema version. Setting nil removes the key.
  ///
  ///     dictionary["draft"] = Post(title: "…")
  ///     let draft = dictionary["draft", Post.self]
  ///
  /// Setting it takes the value as it is: its bytes are made when it is committed, on a thread of the workspace's. A value
  /// past the format's limits fails then, as `.unencodable`, and the others of its commit don't.
  public subscript<T: DictionaryFlatBuffersCodable>(_ key: String, _ type: T.Type) -> T? {
    get { get(key, by: FlatBuffersCoding<T>.self) }
    nonmutating set { set(newValue, forKey: key, by: FlatBuffersCoding<T>.self) }
  }

  /// The value of a key, its type inferred.
  public subscript<T: DictionaryFlatBuffersCodable>(_ key: String) -> T? {
    get { get(key, by: FlatBuffersCoding<T>.self) }
    nonmutating set { set(newValue, forKey: key, by: FlatBuffersCoding<T>.self) }
  }

  /// The value of a key, or a default, which is not stored.
  public subscript<T: DictionaryFlatBuffersCodable>(_ key: String, default value: @autoclosure () -> T) -> T {
    get { get(key, by: FlatBuffersCoding<T>.self) ?? value() }
    nonmutating set { set(newValue, forKey: key, by: FlatBuffersCoding<T>.self) }
  }

  // MARK: Reading

  /// The value of a key as a FlatBuffers type; nil when there is none. Its bytes are verified the first time.
  ///
  /// - Throws: ``WorkspaceError``: `.typeMismatch` when a value of another kind is stored, `.schemaVersionMismatch` when its
  ///   schema has another version than `T`'s, `.undecodable`, naming table and field, when its bytes are damaged; all
  ///   naming the key. The value stays as it is in the file. Errors of reading the file.
  public func value<T: DictionaryFlatBuffersCodable>(forKey key: String, as type: T.Type) throws -> T? {
    try value(forKey: key, by: FlatBuffersCoding<T>.self)
  }

  // MARK: Atomic changes

  /// Changes a value in place, atomically in all processes.
  ///
  ///     try dictionary.update("origin", default: Vec3()) { $0.x += 1 }
  ///
  /// It is a transaction of its own, or a part of the one whose closure it is called in, which fails if the value can't be
  /// encoded. `body` runs once, on this thread.
  ///
  /// - Returns: The new value, committed.
  /// - Throws: What `body` throws, and then nothing is changed; what ``value(forKey:as:)`` throws; `.unencodable`.
  @discardableResult
  public func update<T: DictionaryFlatBuffersCodable>(
    _ key: String, default value: T, _ body: (inout T) throws -> Void
  ) throws -> T {
    try update(key, by: FlatBuffersCoding<T>.self, default: value, body)
  }

  /// Changes a value in place, atomically in all processes, without blocking the caller's thread.
  @discardableResult
  public func update<T: DictionaryFlatBuffersCodable>(
    _ key: String, default value: T, _ body: @escaping @Sendable (inout T) throws -> Void
  ) async throws -> T {
    try await updateAsync(key, by: FlatBuffersCoding<T>.self, default: value, body)
  }

  /// Sets a key to `new` if it is `expected`, nil standing for no value, atomically in all processes.
  ///
  /// - Returns: False when the value was another one; nothing is changed then.
  /// - Throws: What ``value(forKey:as:)`` throws; `.unencodable`.
  public func compareAndSet<T: DictionaryFlatBuffersCodable>(_ key: String, expected: T?, new: T?) throws -> Bool {
    try compareAndSet(key, by: FlatBuffersCoding<T>.self, expected: expected, new: new)
  }

  /// Sets a key to `new` if it is `expected`, without blocking the caller's thread.
  public func compareAndSet<T: DictionaryFlatBuffersCodable>(_ key: String, expected: T?, new: T?) async throws -> Bool
  {
    try await compareAndSetAsync(key, by: FlatBuffersCoding<T>.self, expected: expected, new: new)
  }

  // MARK: Observing

  /// Observes a key: its committed value now, then every committed change, by whichever process.
  ///
  /// A value of another type or schema version is told as absent (`.initial(nil)`, `.deleted`) and logged; what else holds
  /// is said at the overload for `Codable` types. Keep the result: releasing it cancels.
  public func subscribe<Element: DictionaryFlatBuffersCodable>(
    _ key: String, of type: Element.Type,
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<Element>) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key, by: FlatBuffersCoding<Element>.self, changeHandler: changeHandler)
  }

  /// The values of a key: the committed one now, then each that is committed; nil for none.
  public func subscribe<Element: DictionaryFlatBuffersCodable>(
    _ key: String, of type: Element.Type,
    bufferingPolicy: AsyncStream<Element?>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Element?> {
    stream(key, by: FlatBuffersCoding<Element>.self, bufferingPolicy: bufferingPolicy)
  }
}

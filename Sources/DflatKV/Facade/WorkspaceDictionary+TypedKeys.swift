public import DflatCore

// The operations of typed keys: those of the key's name in the key's namespace, with the key's default for an absent
// value. They find the transaction or snapshot of the thread as those of strings do.

extension WorkspaceDictionary {
  // MARK: Reading and writing

  /// Accesses the value of a typed key, or its default. Setting the nil of an optional type removes the key, which then
  /// reads as its default.
  ///
  ///     dictionary[.volume] += 0.1
  ///     dictionary[.nickname] = nil
  ///
  /// `+=` reads and writes in two steps; `update` is atomic.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript<Value>(_ key: DictionaryKey<Value>) -> Value {
    get { scope(of: key).get(key.name, by: key.coding, migrating: key.migrations, default: { key.defaultValue }) }
    nonmutating set { scope(of: key).set(newValue, forKey: key.name, by: key.coding) }
  }

  /// Returns the value of a typed key, or its default if there is none. Blocks the calling thread until the value is
  /// loaded, unless it is in the cache.
  ///
  /// - Throws: The errors of ``value(forKey:as:)``, instead of returning the default.
  public func value<Value>(forKey key: DictionaryKey<Value>) throws -> Value {
    try scope(of: key).value(
      forKey: key.name, by: key.coding, migrating: key.migrations, completedBy: key.defaultValue) ?? key.defaultValue
  }

  /// Returns true if a typed key has a stored value of any type. The default is not stored. A read that fails is
  /// reported, and returns false. Blocks the calling thread until the value is loaded, unless it is in the cache.
  public func contains<Value>(_ key: DictionaryKey<Value>) -> Bool { scope(of: key).contains(key.name) }

  /// Removes the value of a typed key, which then reads as its default. Doesn't read the key, and blocks only as a
  /// write in a transaction's closure does.
  public func reset<Value>(_ key: DictionaryKey<Value>) { scope(of: key).removeValue(forKey: key.name) }

  /// Removes a typed key, as ``reset(_:)`` does. Blocks only as a write in a transaction's closure does.
  public func removeValue<Value>(forKey key: DictionaryKey<Value>) { reset(key) }

  // MARK: Atomic changes

  /// Changes the value of a typed key in place, atomically across processes. The closure receives the default if no
  /// value is stored.
  ///
  ///     let visits = try dictionary.update(.visits) { $0 += 1 }
  ///
  /// Inside a transaction's closure the update is part of that transaction, which fails if the value can't be encoded.
  /// Elsewhere it is a transaction of its own, and blocks the calling thread as
  /// ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does: until the transaction is committed and, unless a
  /// callback calls it, its observers have run. `body` runs on this thread, and again if another process replaced the
  /// file meanwhile.
  ///
  /// - Returns: The new value. If that is the nil of an optional type, the key is removed.
  /// - Throws: The errors of `body`, and then nothing changes. The errors of ``value(forKey:as:)``, and
  ///   ``/DflatCore/WorkspaceError`` with code `.unencodable` if the new value can't be encoded, or `.wouldDeadlock` in
  ///   an encoder. Outside a transaction's closure also the errors of
  ///   ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  @discardableResult
  public func update<Value>(_ key: DictionaryKey<Value>, _ body: (inout Value) throws -> Void) throws -> Value {
    try scope(of: key).update(key.name, by: key.coding, migrating: key.migrations, default: key.defaultValue, body)
  }

  /// Changes the value of a typed key in place, atomically across processes, without blocking the caller's thread.
  /// `body` runs on a thread of the workspace or its target queue, and again if another process replaced the file
  /// meanwhile.
  ///
  /// - Returns: The new, committed value.
  /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
  @discardableResult
  public func update<Value>(
    _ key: DictionaryKey<Value>, _ body: @escaping @Sendable (inout Value) throws -> Void
  ) async throws -> Value {
    try await scope(of: key).updateAsync(
      key.name, by: key.coding, migrating: key.migrations, default: key.defaultValue, body)
  }

  /// Sets a typed key to `new` if it reads as `expected`, atomically across processes. A key without a value reads as
  /// its default. Compares values, not their bytes.
  ///
  ///     let isFirst = try dictionary.compareAndSet(.owner, expected: nil, new: "me")
  ///
  /// Inside a transaction's closure it is part of that transaction. Elsewhere it is a transaction of its own, and
  /// blocks the calling thread as ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does: until the transaction is
  /// committed and, unless a callback calls it, its observers have run.
  ///
  /// - Returns: True if the value was `expected`. Otherwise false, and nothing changes.
  /// - Throws: The errors of ``value(forKey:as:)``, and ``/DflatCore/WorkspaceError`` with code `.unencodable` if the
  ///   new value can't be encoded, or `.wouldDeadlock` in an encoder. Outside a transaction's closure also the errors
  ///   of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  public func compareAndSet<Value>(_ key: DictionaryKey<Value>, expected: Value, new: Value) throws -> Bool {
    try scope(of: key).compareAndSet(
      key.name, by: key.coding, migrating: key.migrations, default: key.defaultValue, expected: expected, new: new)
  }

  /// Sets a typed key to `new` if it reads as `expected`, without blocking the caller's thread.
  ///
  /// - Returns: True if the value was `expected`. Otherwise false, and nothing changes.
  /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
  public func compareAndSet<Value>(_ key: DictionaryKey<Value>, expected: Value, new: Value) async throws -> Bool {
    try await scope(of: key).compareAndSetAsync(
      key.name, by: key.coding, migrating: key.migrations, default: key.defaultValue, expected: expected, new: new)
  }

  // MARK: Observing

  /// Observes a typed key: delivers its value, or its default if there is none, and blocks the calling thread, as
  /// ``WorkspaceDictionary/subscribe(_:of:changeHandler:)`` does. Fields that a value lacks have their values in the
  /// default.
  public func subscribe<Value>(
    _ key: DictionaryKey<Value>, changeHandler: @escaping @Sendable (Value) -> Void
  ) -> WorkspaceSubscription {
    scope(of: key).subscribe(key, by: key.coding, changeHandler: changeHandler)
  }

  private func subscribe<C: ValueCoding>(
    _ key: DictionaryKey<C.Value>, by coding: C.Type, changeHandler: @escaping @Sendable (C.Value) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key.name, by: coding, migrating: key.migrations, completedBy: key.defaultValue) { change in
      switch change {
      case .initial(let value): changeHandler(value ?? key.defaultValue)
      case .updated(let value): changeHandler(value)
      case .deleted, .expired: changeHandler(key.defaultValue)
      }
    }
  }

  /// Returns a sequence of a typed key's values: the committed one now, then each committed change, with the default
  /// for no value.
  ///
  ///     for await volume in dictionary.subscribe(.volume) { … }
  ///
  /// `bufferingPolicy` decides what happens to values that are not consumed in time. The sequence ends with the
  /// workspace; ending the iteration cancels the subscription. The call blocks the calling thread as
  /// ``WorkspaceDictionary/subscribe(_:of:changeHandler:)`` does.
  public func subscribe<Value>(
    _ key: DictionaryKey<Value>,
    bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Value> {
    scope(of: key).stream(
      key.name, by: key.coding, migrating: key.migrations, completedBy: key.defaultValue,
      bufferingPolicy: bufferingPolicy
    ) { $0 ?? key.defaultValue }
  }
}

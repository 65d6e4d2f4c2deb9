import DflatCore

// The implementation of the public overloads: one path for all representations, with the type's coding as a parameter.

extension WorkspaceDictionary {
  // MARK: Reading

  @inline(__always)
  func get<C: ValueCoding>(_ key: String, by coding: C.Type) -> C.Value? {
    let hashed = hashed(key)
    do { return try C.decode(try read(hashed), in: store.decodingContext) } catch {
      return report(error, hashed)
    }
  }

  /// Returns the value, the result of a migration, or the default, which also provides missing fields. Evaluates the
  /// default once at most.
  @inline(__always)
  func get<C: ValueCoding>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [],
    default value: () -> C.Value
  ) -> C.Value {
    let hashed = hashed(key)
    do {
      let stored = try read(hashed)
      do { return try C.decode(stored, in: store.decodingContext) ?? value() } catch {
        if let migrated = try C.migrate(stored, by: migrations, in: store.decodingContext) { return migrated }
        let template = value()
        do {
          return try C.decode(stored, completedBy: template, after: error, in: store.decodingContext)
        } catch {
          return report(error, hashed) ?? template
        }
      }
    } catch {
      return report(error, hashed) ?? value()
    }
  }

  func value<C: ValueCoding>(
    forKey key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [],
    completedBy defaultValue: C.Value? = nil
  ) throws -> C.Value? {
    try explaining(key) {
      try C.decode(
        try read(hashed(key)), migrating: migrations, completedBy: defaultValue, in: store.decodingContext)
    }
  }

  // MARK: Writing

  @inline(__always)
  func set<C: ValueCoding>(_ value: C.Value?, forKey key: String, by coding: C.Type) {
    let hashed = hashed(key)
    do {
      if isSealed { return try writeSealed(value, for: hashed, by: coding) }
      try store.write(value, for: hashed, by: coding)
    } catch { store.failWrite(explained(error, key)) }
  }

  func update<C: ValueCoding>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [], default value: C.Value,
    _ body: (inout C.Value) throws -> Void
  ) throws -> C.Value {
    try atomically { try update(key, by: coding, migrating: migrations, default: value, in: $0, body) }
  }

  func updateAsync<C: ValueCoding>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [], default value: C.Value,
    _ body: @escaping @Sendable (inout C.Value) throws -> Void
  ) async throws -> C.Value {
    try await store.core.transactAsync {
      try update(key, by: coding, migrating: migrations, default: value, in: $0, body)
    }
  }

  /// Sets a key if its value, or the default for an absent one, is `expected`.
  func compareAndSet<C: ValueCoding>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [],
    default defaultValue: C.Value? = nil, expected: C.Value?, new: C.Value?
  ) throws -> Bool {
    try atomically {
      try exchange(key, by: coding, migrating: migrations, default: defaultValue, expected, new, in: $0)
    }
  }

  func compareAndSetAsync<C: ValueCoding>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [],
    default defaultValue: C.Value? = nil, expected: C.Value?, new: C.Value?
  ) async throws -> Bool {
    try await store.core.transactAsync {
      try exchange(key, by: coding, migrating: migrations, default: defaultValue, expected, new, in: $0)
    }
  }

  private func update<C: ValueCoding>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>], default value: C.Value,
    in transaction: TransactionContext, _ body: (inout C.Value) throws -> Void
  ) throws -> C.Value {
    var current = try self.value(forKey: key, by: coding, migrating: migrations, completedBy: value) ?? value
    let expiration = try store.expiration(of: hashed(key))
    try body(&current)
    try stage(current, forKey: key, by: coding, expiring: expiration, in: transaction)
    return current
  }

  private func exchange<C: ValueCoding>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>],
    default defaultValue: C.Value?, _ expected: C.Value?, _ new: C.Value?, in transaction: TransactionContext
  ) throws -> Bool {
    // An optional's nil is no value; earlier versions stored it.
    func present(_ value: C.Value?) -> C.Value? { value.flatMap { C.isNil($0) ? nil : $0 } }
    let current =
      try value(forKey: key, by: coding, migrating: migrations, completedBy: defaultValue) ?? defaultValue
    switch (present(current), present(expected)) {
    case (nil, nil): break
    case (let current?, let expected?): guard C.isSame(current, expected) else { return false }
    case (_?, nil), (nil, _?): return false
    }
    try stage(new, forKey: key, by: coding, in: transaction)
    return true
  }

  private func stage<C: ValueCoding>(
    _ value: C.Value?, forKey key: String, by coding: C.Type, expiring expiration: Expiration? = nil,
    in transaction: TransactionContext
  ) throws {
    var encoded: CachedValue
    do {
      encoded = try sealed(value.map { try C.wrap($0).encoded() } ?? .absent, hashed(key))
      if let expiration { encoded = encoded.expiring(at: expiration) }
    } catch {
      let explained = explained(error, key)
      transaction.fail(explained)
      throw explained
    }
    try store.stage(.set(hashed(key), encoded), in: transaction)
  }

  func explained(_ error: any Error, _ key: String) -> WorkspaceError {
    WorkspaceError.wrapping(error, path: store.core.path, doing: "Writing to")
      .about(key: key, namespace: namespaceName, path: store.core.path)
  }

  /// Runs `body` in this thread's transaction, or else in one of its own, which blocks the thread and may run `body`
  /// again.
  func atomically<T>(_ body: (TransactionContext) throws -> T) throws -> T {
    if let refusal = store.core.refusedWrite() { throw refusal }
    if let transaction = ThreadContext.transaction(of: store.core) { return try body(transaction) }
    return try store.core.performAndWait([], body)
  }

  // MARK: Observing

  func subscribe<C: ValueCoding>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [],
    completedBy defaultValue: C.Value? = nil, onEnd: @escaping @Sendable () -> Void = {},
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<C.Value>) -> Void
  ) -> WorkspaceSubscription {
    let hashed = hashed(key)
    return store.observe(hashed, onEnd: onEnd) { [core = store.core, seal] change in
      let change = change.opened(by: seal, reportingTo: core)
      let value = change.value(
        of: hashed, by: coding, migrating: migrations, completedBy: defaultValue, reportingTo: core)
      switch (change.event, value) {
      case (.initial, _): changeHandler(.initial(value))
      case (_, let value?): changeHandler(.updated(value))
      case (.expired, nil): changeHandler(.expired)
      case (_, nil): changeHandler(.deleted)
      }
    }
  }

  /// Returns a sequence of what `element` makes of the key's values; nil means no value.
  func stream<C: ValueCoding, Element: Sendable>(
    _ key: String, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [],
    completedBy defaultValue: C.Value? = nil, bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy,
    element: @escaping @Sendable (C.Value?) -> Element
  ) -> AsyncStream<Element> {
    let hashed = hashed(key)
    return AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = store.observe(hashed, onEnd: { continuation.finish() }) { [core = store.core, seal] change in
        let change = change.opened(by: seal, reportingTo: core)
        let value = change.value(
          of: hashed, by: coding, migrating: migrations, completedBy: defaultValue, reportingTo: core)
        continuation.yield(element(value))
      }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}

extension DictionaryChange {
  /// Returns the value; if it can't be decoded, reports the error and returns nil.
  fileprivate func value<C: ValueCoding>(
    of key: HashedKey, by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [],
    completedBy defaultValue: C.Value? = nil, reportingTo core: WorkspaceCore
  ) -> C.Value? {
    do { return try value(by: coding, migrating: migrations, completedBy: defaultValue) } catch {
      DictionaryStore.of(core).noteUnreadable(error, key, isCommitted: true)
      if let error = error as? WorkspaceError { core.report(error) }
      return nil
    }
  }
}

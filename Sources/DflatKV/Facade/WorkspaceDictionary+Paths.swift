import DflatCore

// The implementation of the public overloads: one path for all representations, with the type's coding as a parameter.

extension WorkspaceDictionary {
  // MARK: Reading

  @inline(__always)
  func get<C: ValueCoding>(_ key: String, by coding: C.Type) -> C.Value? {
    let hashed = hashed(key)
    do { return try C.decode(try store.read(hashed), limits: store.flatBufferLimits) } catch {
      return report(error, hashed)
    }
  }

  /// Returns the value, whose missing fields the default provides, or the default. Evaluates the default once at most.
  @inline(__always)
  func get<C: ValueCoding>(_ key: String, by coding: C.Type, default value: () -> C.Value) -> C.Value {
    let hashed = hashed(key)
    do {
      let stored = try store.read(hashed)
      do { return try C.decode(stored, limits: store.flatBufferLimits) ?? value() } catch {
        let template = value()
        do {
          return try C.decode(stored, completedBy: template, after: error, limits: store.flatBufferLimits)
        } catch {
          return report(error, hashed) ?? template
        }
      }
    } catch {
      return report(error, hashed) ?? value()
    }
  }

  func value<C: ValueCoding>(
    forKey key: String, by coding: C.Type, completedBy defaultValue: C.Value? = nil
  ) throws -> C.Value? {
    try explaining(key) {
      try C.decode(try store.read(hashed(key)), completedBy: defaultValue, limits: store.flatBufferLimits)
    }
  }

  // MARK: Writing

  @inline(__always)
  func set<C: ValueCoding>(_ value: C.Value?, forKey key: String, by coding: C.Type) {
    let hashed = hashed(key)
    do { try store.write(value, for: hashed, by: coding) } catch { store.failWrite(explained(error, key)) }
  }

  func update<C: ValueCoding>(
    _ key: String, by coding: C.Type, default value: C.Value, _ body: (inout C.Value) throws -> Void
  ) throws -> C.Value {
    try atomically { try update(key, by: coding, default: value, in: $0, body) }
  }

  func updateAsync<C: ValueCoding>(
    _ key: String, by coding: C.Type, default value: C.Value, _ body: @escaping @Sendable (inout C.Value) throws -> Void
  ) async throws -> C.Value {
    try await store.core.transactAsync { try update(key, by: coding, default: value, in: $0, body) }
  }

  func compareAndSet<C: ValueCoding>(
    _ key: String, by coding: C.Type, expected: C.Value?, new: C.Value?
  ) throws -> Bool {
    try atomically { try exchange(key, by: coding, expected, new, in: $0) }
  }

  func compareAndSetAsync<C: ValueCoding>(
    _ key: String, by coding: C.Type, expected: C.Value?, new: C.Value?
  ) async throws -> Bool {
    try await store.core.transactAsync { try exchange(key, by: coding, expected, new, in: $0) }
  }

  private func update<C: ValueCoding>(
    _ key: String, by coding: C.Type, default value: C.Value, in transaction: TransactionContext,
    _ body: (inout C.Value) throws -> Void
  ) throws -> C.Value {
    var current = try self.value(forKey: key, by: coding, completedBy: value) ?? value
    try body(&current)
    try stage(current, forKey: key, by: coding, in: transaction)
    return current
  }

  private func exchange<C: ValueCoding>(
    _ key: String, by coding: C.Type, _ expected: C.Value?, _ new: C.Value?, in transaction: TransactionContext
  ) throws -> Bool {
    // An optional's nil is no value; earlier versions stored it.
    func present(_ value: C.Value?) -> C.Value? { value.flatMap { C.isNil($0) ? nil : $0 } }
    switch (present(try value(forKey: key, by: coding)), present(expected)) {
    case (nil, nil): break
    case (let current?, let expected?): guard C.isSame(current, expected) else { return false }
    case (_?, nil), (nil, _?): return false
    }
    try stage(new, forKey: key, by: coding, in: transaction)
    return true
  }

  private func stage<C: ValueCoding>(
    _ value: C.Value?, forKey key: String, by coding: C.Type, in transaction: TransactionContext
  ) throws {
    let encoded: CachedValue
    do { encoded = try value.map { try C.wrap($0).encoded() } ?? .absent } catch {
      let explained = explained(error, key)
      transaction.fail(explained)
      throw explained
    }
    try store.stage(.set(hashed(key), encoded), in: transaction)
  }

  private func explained(_ error: any Error, _ key: String) -> WorkspaceError {
    WorkspaceError.wrapping(error, path: store.core.path, doing: "Writing to")
      .about(key: key, namespace: namespaceName, path: store.core.path)
  }

  private func atomically<T>(_ body: (TransactionContext) throws -> T) throws -> T {
    if let refusal = store.core.refusedWrite() { throw refusal }
    if let transaction = ThreadContext.transaction(of: store.core) { return try body(transaction) }
    return try store.core.performAndWait([], body)
  }

  // MARK: Observing

  func subscribe<C: ValueCoding>(
    _ key: String, by coding: C.Type, completedBy defaultValue: C.Value? = nil,
    onEnd: @escaping @Sendable () -> Void = {},
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<C.Value>) -> Void
  ) -> WorkspaceSubscription {
    store.observe(hashed(key), onEnd: onEnd) { [core = store.core] change in
      let value = change.value(by: coding, completedBy: defaultValue, reportingTo: core)
      switch (change.event, value) {
      case (.initial, _): changeHandler(.initial(value))
      case (_, let value?): changeHandler(.updated(value))
      case (_, nil): changeHandler(.deleted)
      }
    }
  }

  func stream<C: ValueCoding>(
    _ key: String, by coding: C.Type, bufferingPolicy: AsyncStream<C.Value?>.Continuation.BufferingPolicy
  ) -> AsyncStream<C.Value?> {
    AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = store.observe(hashed(key), onEnd: { continuation.finish() }) { [core = store.core] change in
        continuation.yield(change.value(by: coding, reportingTo: core))
      }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}

extension DictionaryChange {
  /// Returns the value; if it can't be decoded, reports the error and returns nil.
  fileprivate func value<C: ValueCoding>(
    by coding: C.Type, completedBy defaultValue: C.Value? = nil, reportingTo core: WorkspaceCore
  ) -> C.Value? {
    do { return try value(by: coding, completedBy: defaultValue) } catch {
      if let error = error as? WorkspaceError { core.report(error) }
      return nil
    }
  }
}

import DflatCore

// Two families: natively stored types, whose path allocates nothing, and all others. Where both fit the first is to be
// chosen, which Swift does by itself only where the type is a parameter (hence the attribute). Where only the second is
// visible, in generic code, it finds native types by itself.

extension WorkspaceDictionary {
  // MARK: Native types

  /// The value of a key; nil when there is none of this type. Setting nil removes the key.
  public subscript<T: DictionaryNativeValue>(_ key: String, _ type: T.Type) -> T? {
    get { native(key) }
    nonmutating set { store.write(newValue?._slot.value ?? .absent, for: hashed(key)) }
  }

  /// The value of a key, its type inferred.
  public subscript<T: DictionaryNativeValue>(_ key: String) -> T? {
    get { native(key) }
    nonmutating set { store.write(newValue?._slot.value ?? .absent, for: hashed(key)) }
  }

  /// The value of a key, or a default, which is not stored. `+=` on it reads and writes in two steps; `update` is atomic.
  public subscript<T: DictionaryNativeValue>(_ key: String, default value: @autoclosure () -> T) -> T {
    get { native(key) ?? value() }
    nonmutating set { store.write(newValue._slot.value, for: hashed(key)) }
  }

  // MARK: Codable types

  /// The value of a key; nil when there is none of this type. Setting nil removes the key.
  @_disfavoredOverload
  public subscript<T: DictionaryCodable>(_ key: String, _ type: T.Type) -> T? {
    get { codable(key) }
    nonmutating set { set(newValue, forKey: key) }
  }

  /// The value of a key, its type inferred.
  @_disfavoredOverload
  public subscript<T: DictionaryCodable>(_ key: String) -> T? {
    get { codable(key) }
    nonmutating set { set(newValue, forKey: key) }
  }

  /// The value of a key, or a default, which is not stored. `+=` on it reads and writes in two steps; `update` is atomic.
  @_disfavoredOverload
  public subscript<T: DictionaryCodable>(_ key: String, default value: @autoclosure () -> T) -> T {
    get { codable(key) ?? value() }
    nonmutating set { set(newValue, forKey: key) }
  }

  // MARK: Any type

  /// The value of a key with its stored type. It also gives `dictionary["k"] = nil` and `let x = dictionary["k"]` a meaning.
  public subscript(_ key: String) -> StoredValue? {
    get {
      let hashed = hashed(key)
      do { return try store.read(hashed).stored } catch { return report(error, hashed) }
    }
    nonmutating set { store.write(newValue.map { CachedValue($0) } ?? .absent, for: hashed(key)) }
  }

  // MARK: Paths

  @inline(__always)
  private func native<T: DictionaryNativeValue>(_ key: String) -> T? {
    let hashed = hashed(key)
    if ThreadContext.isNone, ForkGuard.isOriginal, let hit = shards.hit(hashed) {
      if let found = T(_slot: _DictionarySlot(hit)) { return found }
      if hit.isAbsent { return nil }
    }
    return nativeSlowly(hashed)
  }

  @inline(never)
  private func nativeSlowly<T: DictionaryNativeValue>(_ key: HashedKey) -> T? {
    do {
      let value = try store.read(key)
      if let found = T(_slot: _DictionarySlot(value)) { return found }
      return value.isAbsent ? nil : report(ValueCoder.mismatch(value, T.self), key)
    } catch { return report(error, key) }
  }

  private func codable<T: DictionaryCodable>(_ key: String) -> T? {
    let hashed = hashed(key)
    do { return try ValueCoder.decode(try store.read(hashed), as: T.self) } catch { return report(error, hashed) }
  }

  private func set<T: DictionaryCodable>(_ value: T?, forKey key: String) {
    let hashed = hashed(key)
    do { try store.encodeAndWrite(value, for: hashed) } catch {
      store.recordFailure(
        WorkspaceError(.unencodable, "The value can't be encoded; nothing was changed.", underlying: error)
          .about(key: key, namespace: namespaceName, path: store.core.path))
    }
  }

  private func report<T>(_ error: any Error, _ key: HashedKey) -> T? {
    store.reportRead(error, key)
    return nil
  }
}

extension DictionaryStore {
  /// Compares, encodes outside every lock (A11), then writes.
  func encodeAndWrite<T: DictionaryCodable>(_ value: T?, for key: HashedKey) throws {
    guard let value else { return write(.absent, for: key) }
    if ThreadContext.isNone, let current = try? peek(key), ValueCoder.isUnchanged(value, from: current) {
      return write(current, for: key)
    }
    write(try ValueCoder.encode(value), for: key)
  }

  /// What a subscript can't throw goes to the log and the error handler; a workspace that was shut down reads as empty.
  func reportRead(_ error: any Error, _ key: HashedKey) {
    let wrapped = WorkspaceError.wrapping(error, path: core.path, doing: "Reading")
    if wrapped.code == .shutdown || wrapped.code == .aborted { return }
    core.report(wrapped.about(key: key.string, namespace: name(of: key), path: core.path))
  }
}

import DflatCore

// There are three families: native types, whose path allocates nothing; FlatBuffers types; and all other `Codable`
// types. The compiler must not choose the last where another one fits. It sees that by itself only if the type is a
// parameter, hence the attribute. In generic code that knows only `Codable`, the last family detects the other types at
// run time.

extension WorkspaceDictionary {
  // MARK: Native types

  /// Accesses the value of a key; nil if there is none of this type. Setting nil removes the key.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript<T: DictionaryNativeValue>(_ key: String, _ type: T.Type) -> T? {
    get { native(key) }
    nonmutating set { write(native: newValue, for: key) }
  }

  /// Accesses the value of a key, with its type inferred.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript<T: DictionaryNativeValue>(_ key: String) -> T? {
    get { native(key) }
    nonmutating set { write(native: newValue, for: key) }
  }

  /// Accesses the value of a key, or a default, which is not stored. `+=` reads and writes in two steps; `update` is
  /// atomic.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript<T: DictionaryNativeValue>(_ key: String, default value: @autoclosure () -> T) -> T {
    get { native(key) ?? value() }
    nonmutating set { write(newValue._slot.value, for: hashed(key)) }
  }

  // MARK: Codable types

  /// Accesses the value of a key; nil if there is none of this type. Setting nil removes the key, and so does setting
  /// the nil of an optional type `T`.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  @_disfavoredOverload
  public subscript<T: DictionaryCodable>(_ key: String, _ type: T.Type) -> T? {
    get { get(key, by: CodableCoding<T>.self) }
    nonmutating set { set(newValue, forKey: key, by: CodableCoding<T>.self) }
  }

  /// Accesses the value of a key, with its type inferred.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  @_disfavoredOverload
  public subscript<T: DictionaryCodable>(_ key: String) -> T? {
    get { get(key, by: CodableCoding<T>.self) }
    nonmutating set { set(newValue, forKey: key, by: CodableCoding<T>.self) }
  }

  /// Accesses the value of a key, or a default, which is not stored. `+=` reads and writes in two steps; `update` is
  /// atomic. Fields that the stored value lacks have their values in the default. Setting the nil of an optional type
  /// removes the key, which then reads as the default.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  @_disfavoredOverload
  public subscript<T: DictionaryCodable>(_ key: String, default value: @autoclosure () -> T) -> T {
    get { get(key, by: CodableCoding<T>.self, default: value) }
    nonmutating set { set(newValue, forKey: key, by: CodableCoding<T>.self) }
  }

  // MARK: Any type

  /// Accesses the value of a key with its stored type. Also gives `dictionary["k"] = nil` and `let x = dictionary["k"]`
  /// a meaning.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript(_ key: String) -> StoredValue? {
    get {
      let hashed = hashed(key)
      do { return try read(hashed).encoded().stored } catch { return report(error, hashed) }
    }
    nonmutating set { write(stored: newValue, for: hashed(key)) }
  }

  // MARK: Paths

  /// Writes a value, or removes the key if it is nil. It takes the optional over, because a setter that destroys the
  /// optional itself has to look up its metadata with each write.
  @inline(__always)
  private func write<T: DictionaryNativeValue>(native value: consuming T?, for key: String) {
    switch consume value {
    case let value?: write(value._slot.value, for: hashed(key))
    case nil: store.write(.absent, for: hashed(key))
    }
  }

  @inline(__always)
  private func native<T: DictionaryNativeValue>(_ key: String) -> T? {
    let hashed = hashed(key)
    if ThreadContext.isNone, ForkGuard.isOriginal, !isSealed, let hit = shards.hit(hashed) {
      if let found = T(_slot: _DictionarySlot(hit)) { return found }
      if hit.isAbsent { return nil }
    }
    guard let value = readOrReport(hashed) else { return nil }
    if let found = T(_slot: _DictionarySlot(value)) { return found }
    if !value.isAbsent { reportMismatch(of: value, with: T.self, hashed) }
    return nil
  }

  /// Reads a value, and reports an error. Not generic: in code that isn't specialized, each optional of a type parameter
  /// that is passed on costs a look-up of its metadata.
  @inline(never)
  private func readOrReport(_ key: HashedKey) -> CachedValue? {
    do { return try withUncountedStore { try unsealed($0.read(key), key) } } catch {
      store.reportRead(error, key)
      return nil
    }
  }

  @inline(never)
  private func reportMismatch(of value: CachedValue, with type: Any.Type, _ key: HashedKey) {
    store.reportRead(WorkspaceError.typeMismatch(value, type), key)
  }

  func report<T>(_ error: any Error, _ key: HashedKey) -> T? {
    store.reportRead(error, key)
    return nil
  }
}

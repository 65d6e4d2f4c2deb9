import DflatCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Values that expire. The instant is part of the stored value: a write without one makes the key permanent again.

extension WorkspaceDictionary {
  // MARK: Lifetimes

  /// Sets a key's value, which expires after a lifetime.
  ///
  ///     sessions.set(token, forKey: user, expiringAfter: .seconds(3_600))
  ///
  /// From that instant on, the key has no value for any reader, in this process or another: not in subscripts, lists of keys
  /// or counts. A transaction or snapshot sees the keys of one instant, at which it first read a value that expires. Soon
  /// afterwards, a process that has the file open for writing removes the value from the file, and observers receive
  /// `.expired`: one that has written such values does so at once, another one after half a second. If none has the file
  /// open, the next one that reads the dictionary does. The instant is one of the computer's clock, with a resolution of a
  /// millisecond.
  ///
  /// Otherwise this is a write like that of a subscript: part of the transaction in whose closure it is called, and plain
  /// elsewhere, without blocking; errors fail the transaction, or are reported. A later write by a subscript or
  /// ``compareAndSet(_:expected:new:)`` gives the key a value that doesn't expire; ``update(_:default:_:)`` changes the
  /// value and keeps the instant. A value that expires and is overwritten is never kept as a ``ReplacedValue``.
  ///
  /// - Parameters:
  ///   - value: The value. An optional's nil removes the key.
  ///   - key: The key.
  ///   - lifetime: If it isn't positive, the value has expired already. One of more than some hundred million years doesn't
  ///     end.
  @_disfavoredOverload
  public func set<T: DictionaryCodable>(_ value: T, forKey key: String, expiringAfter lifetime: Duration) {
    set(value, forKey: key, by: CodableCoding<T>.self, expiring: expiration(after: lifetime))
  }

  /// Sets a key's value, which expires at a date. Otherwise works as ``set(_:forKey:expiringAfter:)``.
  @_disfavoredOverload
  public func set<T: DictionaryCodable>(_ value: T, forKey key: String, expiringAt date: Date) {
    set(value, forKey: key, by: CodableCoding<T>.self, expiring: Expiration(date))
  }

  /// Sets a key's value of a FlatBuffers type, which expires after a lifetime, as the overload for other types does.
  public func set<T: DictionaryFlatBuffersCodable>(_ value: T, forKey key: String, expiringAfter lifetime: Duration) {
    set(value, forKey: key, by: FlatBuffersCoding<T>.self, expiring: expiration(after: lifetime))
  }

  /// Sets a key's value of a FlatBuffers type, which expires at a date, as the overload for other types does.
  public func set<T: DictionaryFlatBuffersCodable>(_ value: T, forKey key: String, expiringAt date: Date) {
    set(value, forKey: key, by: FlatBuffersCoding<T>.self, expiring: Expiration(date))
  }

  /// Sets a key's value of any type, which expires after a lifetime, as the overload for types does.
  public func set(_ value: StoredValue, forKey key: String, expiringAfter lifetime: Duration) {
    write(stored: value, for: hashed(key), expiring: expiration(after: lifetime))
  }

  /// Sets a key's value of any type, which expires at a date, as the overload for types does.
  public func set(_ value: StoredValue, forKey key: String, expiringAt date: Date) {
    write(stored: value, for: hashed(key), expiring: Expiration(date))
  }

  /// Sets a typed key's value, which expires after a lifetime. Then the key has its default. Otherwise works as
  /// ``set(_:forKey:expiringAfter:)``.
  ///
  ///     dictionary.set(true, forKey: .isPreview, expiringAfter: .seconds(900))
  public func set<Value>(_ value: Value, forKey key: DictionaryKey<Value>, expiringAfter lifetime: Duration) {
    scope(of: key).set(value, forKey: key.name, by: key.coding, expiring: expiration(after: lifetime))
  }

  /// Sets a typed key's value, which expires at a date. Otherwise works as ``set(_:forKey:expiringAfter:)``.
  public func set<Value>(_ value: Value, forKey key: DictionaryKey<Value>, expiringAt date: Date) {
    scope(of: key).set(value, forKey: key.name, by: key.coding, expiring: Expiration(date))
  }

  /// Returns the instant at which a key's value expires; nil if it doesn't, or if the key has no value. A read of a key that
  /// isn't cached blocks the calling thread until it is loaded.
  ///
  ///     let rest = try sessions.expirationDate(forKey: user)?.timeIntervalSinceNow
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with a code that ``WorkspaceDictionary`` lists.
  public func expirationDate(forKey key: String) throws -> Date? {
    try explaining(key) { try store.expiration(of: hashed(key))?.date }
  }

  /// Returns the instant at which a typed key's value expires, as ``expirationDate(forKey:)`` does.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with a code that ``WorkspaceDictionary`` lists.
  public func expirationDate<Value>(forKey key: DictionaryKey<Value>) throws -> Date? {
    try scope(of: key).expirationDate(forKey: key.name)
  }

  /// Returns true if the file has values that expire, in any namespace. From then on, this workspace removes them once they
  /// have expired, if it may write.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with a code that ``WorkspaceDictionary`` lists.
  package func hasExpiringValues() throws -> Bool {
    try store.withConnection { connection in
      try store.findExpiring(on: connection)
      return try ExpiryIndex.next(on: connection) != nil
    } ?? false
  }

  // MARK: Paths

  private func expiration(after lifetime: Duration) -> Expiration {
    // A transaction has one time, for reads and writes, from its turn on.
    let clock = store.core.options.wallClock
    let now = (try? store.readingTime()) ?? clock.now()
    return Expiration(after: lifetime, by: WallClock { now })
  }

  private func set<C: ValueCoding>(
    _ value: C.Value, forKey key: String, by coding: C.Type, expiring expiration: @autoclosure () -> Expiration
  ) {
    let hashed = hashed(key)
    do {
      // Encoded at once: what waits in the overlay has its final form. The instant comes last: a transaction that can't
      // encode the value doesn't wait for its turn.
      let encoded = try sealed(try C.wrap(value).encoded(), hashed)
      store.write(encoded.expiring(at: expiration()), for: hashed)
    } catch {
      store.failWrite(explained(error, key))
    }
  }
}

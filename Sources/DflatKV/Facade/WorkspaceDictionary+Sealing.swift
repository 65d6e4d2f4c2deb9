import DflatCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The owner of a dictionary with a key: keeps the seal of its namespace, and the owner that a dictionary without a key
/// has.
final class SealedNamespace: Sendable {
  let seal: NamespaceSeal
  let owner: any AnyObject & Sendable

  init(seal: NamespaceSeal, owner: any AnyObject & Sendable) {
    self.seal = seal
    self.owner = owner
  }
}

// Values pass through here on their way to and from the store, which holds envelopes only. Dictionaries without a key
// take one branch.

extension WorkspaceDictionary {
  // MARK: Reading

  @inline(__always)
  func read(_ key: HashedKey) throws -> CachedValue { try unsealed(try store.read(key), key) }

  /// Returns a value that the store holds as this dictionary's readers get it.
  @inline(__always)
  func unsealed(_ value: CachedValue, _ key: HashedKey) throws -> CachedValue {
    isSealed ? try opened(value, key) : value
  }

  @inline(never)
  private func opened(_ value: CachedValue, _ key: HashedKey) throws -> CachedValue {
    try seal?.opened(value, forKey: key.string) ?? value
  }

  // MARK: Writing

  @inline(__always)
  func write(_ value: CachedValue, for key: HashedKey) {
    if isSealed { return writeSealed(value, for: key) }
    store.write(value, for: key)
  }

  @inline(never)
  private func writeSealed(_ value: CachedValue, for key: HashedKey) {
    do { store.write(try sealed(value, key), for: key) } catch { store.failWrite(explained(error, key.string)) }
  }

  /// Encodes a value at once, unlike a dictionary without a key: the overlay holds envelopes, too.
  func writeSealed<C: ValueCoding>(_ value: C.Value?, for key: HashedKey, by coding: C.Type) throws {
    store.write(try sealed(value.map { try C.wrap($0).encoded() } ?? .absent, key), for: key)
  }

  /// Writes a value of any type, which may expire, or removes the key.
  ///
  /// - Parameter expiration: Evaluated once the value has its stored form.
  @inline(never)
  func write(
    stored value: StoredValue?, for key: HashedKey, expiring expiration: @autoclosure () -> Expiration? = nil
  ) {
    do {
      let value = try sealed(value.map { CachedValue($0) } ?? .absent, key)
      store.write(expiration().map { value.expiring(at: $0) } ?? value, for: key)
    } catch {
      store.failWrite(explained(error, key.string))
    }
  }

  /// Returns a value as the store holds it.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.unencodable` for an envelope that this dictionary would seal again, or
  ///   that is none; or the cipher's error.
  func sealed(_ value: CachedValue, _ key: HashedKey) throws -> CachedValue {
    if let seal { return try seal.sealed(value, forKey: key.string) }
    if case .boxed(let box) = value, case .sealed(let bytes, _) = box.content, !SealEnvelope.isWellFormed(bytes) {
      throw WorkspaceError.malformedEnvelope
    }
    return value
  }

  func explainingWrite<T>(_ key: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw explained(error, key) }
  }

  // MARK: Observing

  /// Returns a handler of the store's changes that passes them on as this dictionary's readers get them.
  func openingChanges(
    for handler: @escaping @Sendable (DictionaryChange) -> Void
  ) -> @Sendable (DictionaryChange) -> Void {
    guard let seal else { return handler }
    return { [core = store.core] in handler($0.opened(by: seal, reportingTo: core)) }
  }
}

extension DictionaryChange {
  /// Returns the change with its value opened. One that the key doesn't open is reported, and delivered as absent.
  func opened(by seal: NamespaceSeal?, reportingTo core: WorkspaceCore) -> DictionaryChange {
    guard let seal else { return self }
    do { return DictionaryChange(self, event: event, value: try seal.opened(cached, forKey: key)) } catch {
      let store = DictionaryStore.of(core)
      let wrapped = WorkspaceError.wrapping(error, path: core.path, doing: "Reading")
      let namespace = NamespaceReference(self.namespace, in: store.namespaces)
      store.noteUnreadable(wrapped, HashedKey(key, namespace: namespace.number), isCommitted: true)
      core.report(wrapped.about(key: key, namespace: self.namespace, path: core.path))
      return DictionaryChange(self, event: event == .initial ? .initial : .deleted, value: .absent)
    }
  }
}

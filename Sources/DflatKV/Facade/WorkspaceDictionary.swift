import DflatCore
import DflatSupport

/// A persisted dictionary from string keys to typed values, in one namespace of a workspace.
///
///     let dictionary = workspace.dictionary
///     dictionary["name"] = "Ada"
///     let name: String? = dictionary["name"]
///     dictionary["name"] = nil
///
/// **Values.** `Bool`, integers, `Float`, `Double`, `String` and `Data` are stored natively, `FlatBuffersCodable` types
/// as FlatBuffers, and any other `Codable & Equatable & Sendable` type as a binary property list, unless it encodes a
/// single native value: an enum is stored as its raw value, a `UUID` or `URL` as a string, an `Int?` as an integer. An
/// optional's nil removes the key. A number can be read as any number type that can represent it exactly. Keys are
/// compared by their UTF-8 bytes: two spellings of "é" are two keys. A value whose stored bytes equal those in the file
/// is not written again.
///
/// **Added fields.** A read with a default completes a stored `Codable` value that lacks fields of its type: each
/// missing field has its value in the default, at any depth of dictionaries and types, but not within arrays. Writing
/// the value stores the added fields. A program whose type lacks fields of the stored value ignores them, and removes
/// them when it writes the value.
///
/// **Values that can't be read.** ``DictionaryMigration`` lets a ``DictionaryKey`` read the values of older types. A
/// write over a value that a read could not read, also one that removes it, or over one of another kind, keeps the old
/// bytes in the file:
/// ``replacedValues(inAllNamespaces:)`` lists them, and ``restoreReplacedValue(_:)`` puts them back.
///
/// **Threads.** Use it on any thread. Reading a cached key doesn't touch the disk; the first read of a key loads only
/// that key. This process's plain reads see a plain write at once. It commits soon after, together with others;
/// `synchronize()` waits for that. Inside a transaction's closure, reads and writes are part of the transaction.
///
/// **Blocking.** A read blocks the calling thread until its values are loaded, unless they are in the cache. Decoding a
/// FlatBuffers value may also read the file's list of schemas, even if the value is in the cache. A read may wait for a
/// commit that is being written and for locks of other processes, but not for running transactions. A plain
/// write or removal doesn't block. In a transaction's closure, the first read or write blocks the thread until the
/// transaction has the write token, which one transaction at a time holds.
///
/// **Errors.** Subscripts don't throw: a value of another type, or one that can't be decoded, reads as nil and is
/// logged; `value(forKey:as:)` throws. A plain write that fails is reported to `synchronize()`, the workspace's error
/// handler and its log. A write that fails in a transaction's closure fails the transaction. After shutdown every key
/// reads as nil, without a report. In a forked child process, calls throw or report `.forked`.
///
/// A read that throws has errors of its own, and these codes:
/// - `.shutdown` after shutdown;
/// - `.noSuchFile` if the file was deleted, moved or emptied while open: it isn't taken for an empty one;
/// - in a transaction's closure, `.aborted` after `abort()`, or the code of the error that has failed the transaction;
/// - those of ``DflatCore/SQLiteWorkspace/open(filePath:options:)`` if the file can't be opened or read.
///
/// It is a small value that keeps its workspace alive; copy it freely.
public struct WorkspaceDictionary: Sendable {
  /// `owner` keeps the store alive.
  private let uncountedStore: Unmanaged<DictionaryStore>
  var store: DictionaryStore { uncountedStore.takeUnretainedValue() }
  /// The shards of the store.
  let shards: ShardTable
  /// Keeps the workspace and the number of the namespace: the workspace itself, or a use of a namespace. A number that
  /// the store keeps for typed keys needs no use.
  private let owner: any AnyObject & Sendable
  let namespace: UInt32
  /// True if the values of this dictionary are sealed; then the owner is a `SealedNamespace`. In the padding, so that
  /// other dictionaries are as small as before.
  package let isSealed: Bool

  init(
    store: DictionaryStore, owner: any AnyObject & Sendable, namespace: UInt32, isSealed: Bool = false
  ) {
    self.uncountedStore = .passUnretained(store)
    self.shards = store.shards
    self.owner = owner
    self.namespace = namespace
    self.isSealed = isSealed
  }

  /// The seal of this dictionary's values; nil if they aren't sealed.
  var seal: NamespaceSeal? { isSealed ? (owner as? SealedNamespace)?.seal : nil }

  /// Returns a value of this dictionary's namespace opened; unchanged if this dictionary or the value isn't sealed.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError``: see `NamespaceSeal.opened(_:forKey:)`.
  package func opened(_ value: StoredValue, forKey key: String) throws -> StoredValue {
    guard let seal, value.kind == .sealed else { return value }
    return try seal.opened(CachedValue(value), forKey: key).stored ?? value
  }

  /// Returns the dictionary of another namespace in the same file, or of this one, whose values are sealed.
  package func namespace(_ name: String, sealedBy seal: NamespaceSeal) -> WorkspaceDictionary {
    let unsealed = namespace(name)
    return WorkspaceDictionary(
      store: store, owner: SealedNamespace(seal: seal, owner: unsealed.owner), namespace: unsealed.namespace,
      isSealed: true)
  }

  /// Returns the dictionary of another namespace in the same file, independent of this one; "" is the root. It isn't
  /// sealed, even if this one is (product `DflatSealing`).
  public func namespace(_ name: String) -> WorkspaceDictionary {
    let owner = (owner as? SealedNamespace)?.owner ?? owner
    if name.isEmpty { return WorkspaceDictionary(store: store, owner: owner, namespace: 0) }
    // Pass on the workspace, not this namespace's use, which would live as long as the other's.
    let use = NamespaceReference(name, in: store.namespaces, owner: (owner as? NamespaceReference)?.owner ?? owner)
    if use.isSweepDue { store.sweepNamespaces() }
    return WorkspaceDictionary(store: store, owner: use, namespace: use.number)
  }

  /// Returns the dictionary of the key's namespace, or this one.
  @inline(__always)
  func scope<Value>(of key: DictionaryKey<Value>) -> WorkspaceDictionary {
    guard let name = key.namespace else { return self }
    if let number = key.rememberedNamespace.number(in: store.namespaces) {
      // A sealed dictionary's own namespace stays sealed.
      if isSealed, number == namespace { return self }
      return WorkspaceDictionary(store: store, owner: owner, namespace: number)
    }
    return scope(of: key, named: name)
  }

  @inline(never)
  private func scope<Value>(of key: DictionaryKey<Value>, named name: String) -> WorkspaceDictionary {
    if isSealed, name.hasSameBytes(as: namespaceName) { return self }
    guard let number = key.rememberedNamespace.lookUp(name, in: store.namespaces) else { return namespace(name) }
    return WorkspaceDictionary(store: store, owner: owner, namespace: number)
  }

  /// The name of this dictionary's namespace; "" for the root.
  public var namespaceName: String { store.namespaces.name(namespace) }

  /// Runs `body` with the store, without counting a reference to it, as `DictionaryStore.withUncountedCore(_:)` does.
  @inline(__always)
  func withUncountedStore<T>(_ body: (DictionaryStore) throws -> T) rethrows -> T {
    // This value may be the last that keeps the workspace alive.
    defer { withExtendedLifetime(owner) {} }
    return try uncountedStore._withUnsafeGuaranteedRef(body)
  }

  @inline(__always)
  func hashed(_ key: String) -> HashedKey { HashedKey(key, namespace: namespace) }

  /// Returns the hash of a root key in this process, for tests that need colliding keys.
  package static func hash(of key: String) -> UInt32 { HashedKey(key, namespace: 0).hash }

  /// Blocks the calling thread until all earlier plain writes are committed to the file. Waits for the transactions
  /// that write before them.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError``: that of the first plain write by any caller that failed since the last
  ///   call, or that of the failed commit; with code `.wouldDeadlock` inside a transaction's closure or an encoder,
  ///   `.forked` in a forked child process.
  public func synchronize() throws { try store.synchronize() }

  /// Returns when all earlier plain writes are committed to the file.
  ///
  /// - Throws: The errors of ``synchronize()``.
  public func flush() async throws { try await store.flush() }

  /// Returns when all earlier plain writes are committed to the file or have failed, for a caller that only reads.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError``: that of the failed commit, but of no single write: the next
  ///   ``synchronize()`` throws that.
  package func waitForPlainWrites() async throws { try await store.waitForPlainWrites() }

  // MARK: Removal

  /// Removes a key, which need not exist. If a read has found its value unreadable, the file keeps it as a
  /// ``ReplacedValue``. Doesn't read the key, and blocks only as a write in a transaction's closure does.
  public func removeValue(forKey key: String) { store.write(.absent, for: hashed(key)) }

  /// Removes all keys of this namespace as one operation: it takes effect after earlier writes and before later ones.
  /// Keeps none of their values. Blocks only as a write in a transaction's closure does.
  public func removeAll() { removeAll(withPrefix: "") }

  /// Removes the keys whose UTF-8 bytes begin with a prefix, as one operation. Keeps none of their values. Blocks only
  /// as a write in a transaction's closure does.
  public func removeAll(withPrefix prefix: String) { store.remove(PrefixRange(namespace: namespace, prefix: prefix)) }
}

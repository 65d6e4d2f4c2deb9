import DflatCore

/// A persisted dictionary: string keys to typed values, in one namespace of a workspace.
///
///     let dictionary = workspace.dictionary
///     dictionary["name"] = "Ada"
///     let name: String? = dictionary["name"]
///     dictionary["name"] = nil
///
/// **Values.** `Bool`, integers, `Float`, `Double`, `String` and `Data` are stored as they are, `FlatBuffersCodable` types as
/// FlatBuffers, any other `Codable & Equatable & Sendable` type as a binary property list. Integers of any width read each
/// other where the value fits; `Int?` as a type is another one than `Int`. Keys are compared by their UTF-8 bytes: two
/// spellings of "é" are two keys. A `Codable` or FlatBuffers value that equals (`==`) the one there counts as the same and
/// is not written.
///
/// **Threads.** Any. A read of a key in the cache takes no disk; the first one of a key loads that key alone. A plain write
/// is seen by this process's plain reads at once, and is committed soon after, with others; `synchronize()` waits for that.
/// Inside a transaction's closure reads and writes are the transaction's.
///
/// **Errors.** Subscripts don't throw: a value of another type, or one that can't be decoded, reads as nil and is logged,
/// `value(forKey:as:)` throws; a plain write that fails reaches `synchronize()`, the workspace's error handler and its log; one in
/// a transaction's closure fails the transaction. After shutdown every key reads as nil, without a report.
///
/// It is a small value that keeps its workspace alive; copy it freely.
public struct WorkspaceDictionary: Sendable {
  /// Kept alive by `owner`.
  unowned(unsafe) let store: DictionaryStore
  /// The store's own.
  let shards: ShardTable
  /// The workspace; in a namespace, what keeps its number, and the workspace with it.
  private let owner: any AnyObject & Sendable
  let namespace: UInt32

  init(store: DictionaryStore, owner: any AnyObject & Sendable, namespace: UInt32) {
    self.store = store
    self.shards = store.shards
    self.owner = owner
    self.namespace = namespace
  }

  /// The dictionary of another namespace on the same file, independent of this one; "" is the root.
  public func namespace(_ name: String) -> WorkspaceDictionary {
    if name.isEmpty { return WorkspaceDictionary(store: store, owner: owner, namespace: 0) }
    // Not this namespace's use, which would live as long as the other's.
    let use = NamespaceUse(name, in: store.namespaces, owner: (owner as? NamespaceUse)?.owner ?? owner)
    if use.isSweepDue { store.sweepNamespaces() }
    return WorkspaceDictionary(store: store, owner: use, namespace: use.number)
  }

  /// The name of this dictionary's namespace; "" is the root.
  public var namespaceName: String { store.namespaces.name(namespace) }

  @inline(__always)
  func hashed(_ key: String) -> HashedKey { HashedKey(key, namespace: namespace) }

  /// Blocks until every plain write that was made before is in the file.
  ///
  /// - Throws: ``WorkspaceError``: of the first plain write that failed since the last call, whoever made it;
  ///   `.wouldDeadlock` inside a transaction's closure.
  public func synchronize() throws { try store.synchronize() }

  /// Returns when every plain write that was made before is in the file.
  ///
  /// - Throws: As ``synchronize()`` does.
  public func flush() async throws { try await store.flush() }

  // MARK: Removal

  /// Removes a key. It need not have been read, nor be there.
  public func removeValue(forKey key: String) { store.write(.absent, for: hashed(key)) }

  /// Removes all keys of this namespace, as one operation: what was set before is gone, what is set after stays.
  public func removeAll() { removeAll(withPrefix: "") }

  /// Removes the keys that begin with a prefix, by their UTF-8 bytes, as one operation.
  public func removeAll(withPrefix prefix: String) { store.remove(Clear(namespace: namespace, prefix: prefix)) }
}

import DflatBuffers
import DflatCore
import DflatSQLite
import Dispatch
import Synchronization

/// The dictionaries of one workspace: the cache, the overlay of plain writes, the observers. One for all namespaces.
///
/// Lock order: baton, publication, then shards in the order of their indices; nothing is called under a shard's lock.
final class DictionaryStore: Sendable {
  /// The core owns the store, and whoever calls the store holds the core: no need to count references in each access.
  unowned(unsafe) let core: WorkspaceCore
  let shards: ShardTable
  let namespaces = NamespaceTable()
  let prefixObservers = PrefixObservers()
  let limit: SQLiteWorkspace.CacheLimit
  var flatBufferLimits: FlatBufferLimits { core.options.flatBufferLimits }
  /// Absences that a shard remembers.
  static let absenceLimit = 1_024

  /// True from a plain write on until the writes are drained, and from then on until their group has ended.
  let hasPending = Atomic(false)
  let isFlushing = Atomic(false)
  /// True when a plain write came since the due flush last looked.
  let hasNewWrites = Atomic(false)
  /// True while a flush is due in a moment.
  let isFlushScheduled = Atomic(false)
  private let failures = Lock(Failures())

  struct Failures {
    var first: WorkspaceError?
    var count = 0
  }

  private init(core: WorkspaceCore) {
    self.core = core
    self.limit = core.options.cacheLimit
    self.shards = ShardTable(marksReads: limit != .unlimited)
  }

  deinit { shards.deallocate() }

  /// The store of a workspace, made at its first use.
  static func of(_ core: WorkspaceCore) -> DictionaryStore {
    if let found = core.dictionarySlot.load() { return unsafeDowncast(found, to: DictionaryStore.self) }
    let made = DictionaryStore(core: core)
    if core.isForked { return unsafeDowncast(core.dictionarySlot.storeIfNil(made), to: DictionaryStore.self) }
    var store = made
    core.publication.add(made) {
      guard let found = core.dictionarySlot.load() else { return false }
      store = unsafeDowncast(found, to: DictionaryStore.self)
      return true
    } thenExpose: {
      _ = core.dictionarySlot.storeIfNil(made)
    }
    return store
  }

  func name(of key: HashedKey) -> String { namespaces.name(key.namespace) }

  // MARK: Errors

  /// A plain write failed (A7): `synchronize()` throws it, the log and the error handler get it.
  func recordFailure(_ error: WorkspaceError) {
    if core.isForked { return core.report(error) }
    failures.withLock { failures in
      failures.first = failures.first ?? error
      failures.count += 1
    }
    core.report(error)
  }

  func takeFailure() -> WorkspaceError? {
    failures.withLock { failures in
      defer { failures = Failures() }
      guard let first = failures.first, failures.count > 1 else { return failures.first }
      return WorkspaceError(
        first.code, "\(failures.count) plain writes failed; the first: \(first.message)", path: first.path,
        key: first.key, sqlite: first.sqlite, underlying: first.underlying)
    }
  }
}

import DflatCore

/// The entities of one workspace: their storage, their observers, and the changes of other processes.
///
/// See `Lock` for the lock order; the locks in here are leaves.
final class EntityStore: Sendable {
  /// The core owns the store, and every caller holds the core.
  unowned(unsafe) let core: WorkspaceCore
  let storage: EntityStorage
  let observers: EntityObservers
  /// The newest commit of another process that changed each table, by its number, and the newest one that may have
  /// changed any table (`all`).
  let external = Lock<(all: UInt64, tables: [Int: UInt64])>((0, [:]))

  private init(core: WorkspaceCore) {
    self.core = core
    storage = EntityStorage(core: core)
    observers = EntityObservers(core: core, storage: storage)
  }

  /// Returns the workspace's store, and creates it on first use.
  static func of(_ core: WorkspaceCore) -> EntityStore { core.participant(EntityStore.init) }

  /// Returns the workspace's storage, looked up when it is used.
  static func lazyStorage(of core: WorkspaceCore) -> LazyEntityStorage {
    LazyEntityStorage(of: core) { EntityStore.of($0).storage }
  }
}

extension TransactionContext {
  /// The storage of the transaction's workspace.
  var entityStorage: EntityStorage { EntityStore.of(core).storage }
}

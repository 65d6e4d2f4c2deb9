import DflatSQLite
import Synchronization

/// The entities of one workspace: what groups write of them, and who observes them.
///
/// Lock order: baton, publication, then the small locks in here.
final class EntityStore: Sendable {
  /// The core owns the store, and whoever calls the store holds the core.
  unowned(unsafe) let core: WorkspaceCore
  let observers: EntityObservers
  /// The indexes that queries want, and what fills them.
  let filling: IndexFilling
  /// Used by the holder of the baton.
  let writer = EntityWriter()
  /// Rows that were reported.
  let damaged = Lock<Set<DamagedRow>>([])
  /// The newest commit of another process that changed a table, by the table's number, and of any table.
  private let foreign = Lock<(all: UInt64, tables: [Int: UInt64])>((0, [:]))

  private init(core: WorkspaceCore) {
    self.core = core
    observers = EntityObservers(core: core)
    filling = IndexFilling(core: core)
  }

  /// The store of a workspace, made at its first use.
  static func of(_ core: WorkspaceCore) -> EntityStore {
    if let found = core.entitySlot.load() { return found }
    let made = EntityStore(core: core)
    if core.isForked { return core.entitySlot.storeIfNil(made) }
    var store = made
    core.publication.add(made) {
      guard let found = core.entitySlot.load() else { return false }
      store = found
      return true
    } thenExpose: {
      _ = core.entitySlot.storeIfNil(made)
    }
    return store
  }

  /// Notes what other processes changed, once it is published.
  func noteForeignChanges(_ changes: ForeignChanges) {
    foreign.withLock { foreign in
      foreign.all = max(foreign.all, changes.unknown ?? 0)
      foreign.tables.merge(changes.newest) { $1 }
    }
  }

  /// Notes that another process may have changed anything. Numbers of before may be higher: they are a file's that was
  /// replaced by an older one.
  func noteForeignChange(ofEverythingAt commitNumber: UInt64) {
    foreign.withLock { $0 = (commitNumber, [:]) }
  }

  func hasForeignChanges(since commitNumber: UInt64, for transaction: TransactionContext) -> Bool {
    foreign.withLock { foreign in
      foreign.all > commitNumber
        || transaction.declaredTables.contains { foreign.tables[$0, default: 0] > commitNumber }
    }
  }
}

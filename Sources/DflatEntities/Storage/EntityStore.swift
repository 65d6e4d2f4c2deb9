import DflatCore
import DflatSQLite
import Synchronization

/// The entities of one workspace: group state, observers and index filling.
///
/// Lock order: write token, publication lock, then the small locks in here.
final class EntityStore: Sendable {
  /// The core owns the store, and every caller holds the core.
  unowned(unsafe) let core: WorkspaceCore
  let observers: EntityObservers
  /// The background filling of the indexes that queries want.
  let filling: BackgroundIndexFiller
  /// Guarded by the write token.
  let writer = EncodingState()
  /// The damaged rows that were reported.
  let damaged = Lock<Set<DamagedRow>>([])
  /// The newest commit of another process that changed each table, by its number, and the newest one that may have
  /// changed any table (`all`).
  private let external = Lock<(all: UInt64, tables: [Int: UInt64])>((0, [:]))

  private init(core: WorkspaceCore) {
    self.core = core
    observers = EntityObservers(core: core)
    filling = BackgroundIndexFiller(core: core)
  }

  /// Returns the workspace's store, and creates it on first use.
  static func of(_ core: WorkspaceCore) -> EntityStore { core.participant(EntityStore.init) }

  /// Notes the published changes of other processes.
  func noteExternalChanges(_ changes: ExternalChanges) {
    external.withLock { external in
      external.all = max(external.all, changes.unknown ?? 0)
      external.tables.merge(changes.newest) { $1 }
    }
  }

  /// Notes that another process may have changed anything. Replaces the numbers so far even if they are higher: then an
  /// older file has replaced this one.
  func noteExternalChange(ofEverythingAt commitNumber: UInt64) {
    external.withLock { $0 = (commitNumber, [:]) }
  }

  func hasExternalChanges(since commitNumber: UInt64, for transaction: TransactionContext) -> Bool {
    external.withLock { external in
      external.all > commitNumber
        || transaction.declaredLanes.contains { lane in
          guard case .participant(EntityStore.recordKind, let table) = lane else { return false }
          return external.tables[table, default: 0] > commitNumber
        }
    }
  }
}

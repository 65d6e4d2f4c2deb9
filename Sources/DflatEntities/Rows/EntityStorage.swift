import DflatCore

/// The part of a workspace's store that reading and writing use: what is kept from group to group, index filling, and
/// reported damage. `EntityStore` owns it, and adds what takes part in commits.
final class EntityStorage: Sendable {
  /// The core owns the storage, by way of the store, and every caller holds the core.
  unowned(unsafe) let core: WorkspaceCore
  /// Guarded by the write token.
  let writer = EncodingState()
  /// The background filling of the indexes that queries want.
  let filling: BackgroundIndexFiller
  let damage: DamagedRows
  /// The tables that live queries observe, for readers without the publication lock.
  let queriedTables = Lock<Set<Int>>([])

  init(core: WorkspaceCore) {
    self.core = core
    damage = DamagedRows(core: core)
    filling = BackgroundIndexFiller(core: core, damage: damage)
  }

  /// Returns true if live queries observe the table, so that a group has to keep its rows' contents. Called with the
  /// write token. Observed objects don't count: reading the few changed ones again takes less time than keeping all
  /// changed rows.
  func hasLiveQueries(ofTable number: Int) -> Bool { queriedTables.withLock { $0.contains(number) } }
}

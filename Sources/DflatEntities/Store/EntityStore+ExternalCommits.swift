import DflatCore
import DflatSQLite

/// Publishes the commits of other processes (A9), under the publication lock.
extension EntityStore {
  func publish(external records: [ChangeLog.Record], on connection: Connection) throws -> CacheMove {
    guard let last = records.last?.commitNumber else { return { [] } }
    let changes = ExternalChanges(records)
    let move: (() -> [Delivery])? =
      if changes.unknown != nil {
        try observers.reset(to: last, on: connection)
      } else if !changes.newest.isEmpty {
        try observers.publish(external: changes.tables, at: last, on: connection)
      } else {
        nil
      }
    return { [self] in
      noteExternalChanges(changes)
      return move?() ?? []
    }
  }

  func reset(to commitNumber: UInt64, on connection: Connection) throws -> CacheMove {
    let move = try observers.reset(to: commitNumber, on: connection)
    return { [self] in
      noteExternalChange(ofEverythingAt: commitNumber)
      return move()
    }
  }

  // MARK: Conflicts

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

import DflatCore
import DflatSQLite

/// The rows that a query of an observed closure depends on. It has no result of its own: where a row that matched or
/// matches changes, the closure runs again.
final class TrackedRows: AnyLiveQuery, @unchecked Sendable {  // as its superclass
  private let observer: ReadObserver
  /// True if the commit in progress changes one of the rows.
  private var isTouched = false

  init(_ entity: EntityDescription, where predicate: QueryNode?, for observer: ReadObserver) {
    self.observer = observer
    super.init(entity, RowSelection(where: predicate, orderBy: [], limit: nil, offset: 0))
  }

  /// Does nothing: the observation ends by itself.
  override func end() {}

  override func take(_ entries: ArraySlice<Candidates.Entry>, of changes: PublishedRows) throws {
    for entry in entries where !isTouched { isTouched = try selection.concerns(entry, of: changes) }
  }

  override func moved(
    by changes: PublishedRows, on connection: Connection, for storage: EntityStorage
  ) throws -> ObserverUpdate? {
    // Rows whose old contents are unknown may have matched, and so may damaged ones.
    isTouched || meetsDamage || !changes.knowsOld ? invalidation : nil
  }

  override func forgetTaken() {
    isTouched = false
    meetsDamage = false
  }

  override func refetched(
    on connection: Connection?, at commitNumber: UInt64, for storage: EntityStorage
  ) throws -> ObserverUpdate? { invalidation }

  private var invalidation: ObserverUpdate {
    ObserverUpdate(observer: self) { [observer] in observer.invalidate() }
  }
}

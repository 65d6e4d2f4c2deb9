import DflatSQLite

/// A subscription to a query, without the type of its objects.
///
/// `ObservedTable` passes it the changed rows of each commit. Those of other processes come there from
/// `EntityObservers.publish(external:at:on:)`.
class AnyLiveQuery: LiveObserver, @unchecked Sendable {  // as its superclass
  let selection: RowSelection
  /// The query's number in the table's matching index, while it is registered.
  final var number: Int32?

  init(_ entity: EntityDescription, _ selection: RowSelection) {
    self.selection = selection
    super.init(entity)
  }

  /// Takes some of a commit's changed rows, in ascending order, that may have left or entered the result.
  func take(_ entries: ArraySlice<Candidates.Entry>, of changes: PublishedRows) throws {
    preconditionFailure("A subclass must override this method.")
  }

  /// Takes all of a commit's changed rows that still exist, in the result's order. Only for a sorted query of all rows.
  func take(_ arrivals: [ResultRows<SortKey>.Arrival], of changes: PublishedRows) throws {
    preconditionFailure("A subclass must override this method.")
  }

  /// Returns the step to the state after the commit whose rows the query took; nil if its rows stay the same. Moves
  /// nothing.
  func moved(
    by changes: PublishedRows, on connection: Connection, for storage: EntityStorage
  ) throws -> ObserverUpdate? {
    preconditionFailure("A subclass must override this method.")
  }

  /// Forgets the rows that the query took.
  func forgetTaken() {}

  /// True if one of the commit's rows can't be read.
  final var meetsDamage = false
}

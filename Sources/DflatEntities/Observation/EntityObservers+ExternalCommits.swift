import DflatCore
import DflatSQLite

/// Moves observers, live queries among them, to the commits of other processes (A9).
///
/// A commit arrives through these places: `ChangeWatcher` notices it, or a reader's view or a group shows it
/// (`PublishedViews`, `Writer.openGroup`). `Publication.catchUp` reads its change log records, and `EntityStore` the
/// changes of entities in them. Here each changed table's observers get the rows (`ObservedTable.move`,
/// `LiveQuery.take`), and the publication delivers their updates.
extension EntityObservers {
  /// Returns the closure that moves the observers by other processes' changes, which are `rowids` or `unknown`.
  /// Everything that can fail happens before it returns.
  func publish(
    external changes: [Int: TableChange], at commitNumber: UInt64, on connection: Connection
  ) throws -> () -> [Delivery] {
    drop()
    let steps = steps(for: changes, at: commitNumber, on: connection)
    try steps.requireReadable()
    return { [self] in install(steps) }
  }

  /// Returns the closure that moves all observers after unknown changes, by comparing them with the file.
  func reset(to commitNumber: UInt64, on connection: Connection) throws -> () -> [Delivery] {
    try publish(external: state.tables.mapValues { _ in .unknown }, at: commitNumber, on: connection)
  }
}

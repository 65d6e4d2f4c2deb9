import DflatSupport

/// The statements that begin and end transactions. A rollback also drops the schema cache.
extension Connection {
  /// Begins a transaction that takes its read view with its first query.
  package func begin() throws { try statement(.begin).run() }

  /// Begins a transaction that holds the file's write lock.
  package func beginImmediate() throws { try statement(.beginImmediate).run() }

  package func commit() throws { try statement(.commit).run() }

  /// Rolls back the open transaction. Does nothing if SQLite has already rolled it back, as it does after some errors.
  package func rollBack() throws {
    dropCatalogs()
    recorder?.end()
    guard isInTransaction else { return }
    try statement(.rollback).run()
  }

  /// Ends a transaction that has changed nothing, and therefore keeps the schema cache. Ignores errors: there is
  /// nothing to lose, and the transaction is over after any outcome of ROLLBACK.
  package func endUnchanged() {
    catalogNumber = nil
    if isInTransaction { try? statement(.rollback).run() }
  }

  // MARK: Savepoints

  package func open(_ savepoint: Savepoint) throws {
    try statement(savepoint.open).run()
    recorder?.didOpen(savepoint)
  }

  /// Closes a savepoint, and keeps the changes after it.
  package func release(_ savepoint: Savepoint) throws {
    try statement(savepoint.release).run()
    recorder?.didRelease(savepoint)
  }

  /// Undoes the changes after a savepoint, and closes it.
  package func rollBack(_ savepoint: Savepoint) throws {
    schemaCache = StatesByClass()
    try statement(savepoint.rollBack).run()
    try statement(savepoint.release).run()
    recorder?.didUndo(savepoint)
  }
}

/// The name of a savepoint, as a static constant, with its statements.
package struct Savepoint: Equatable, Sendable {
  fileprivate let open, release, rollBack: SQL

  package init(_ name: StaticString) {
    open = SQL("SAVEPOINT \(name)")
    release = SQL("RELEASE \(name)")
    rollBack = SQL("ROLLBACK TO \(name)")
  }

  package static func == (a: Self, b: Self) -> Bool { a.open === b.open }
}

extension SQL {
  fileprivate static let begin = SQL("BEGIN")
  fileprivate static let beginImmediate = SQL("BEGIN IMMEDIATE")
  fileprivate static let commit = SQL("COMMIT")
  fileprivate static let rollback = SQL("ROLLBACK")
}

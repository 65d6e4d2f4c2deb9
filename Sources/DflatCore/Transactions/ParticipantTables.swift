package import DflatSQLite

/// A participant's part of the file: its tables, and their checks, repairs and statistics.
///
/// It has no state. A workspace gets the parts of all participants when it is created, because its file may be created,
/// checked and repaired before a participant is first used.
package protocol ParticipantTables: ParticipantSchema {
  /// Returns the lane of a type that this participant stores; nil for any other type.
  func lane(of type: Any.Type) -> Lane?

  /// Returns the damage in the rows. SQLite's structures are sound.
  func problems(on connection: Connection, at commitNumber: UInt64) throws -> [IntegrityProblem]

  /// Rebuilds the damaged data that is derived from other data, in a transaction that holds the write token. Returns
  /// the repairs, one line each.
  func repair(in transaction: TransactionContext) throws -> [String]

  /// Counts the rows of the tables that hold users' data.
  func rowCounts(on connection: Connection) throws -> [RowCount]
}

extension ParticipantTables {
  package func lane(of type: Any.Type) -> Lane? { nil }
  package func repair(in transaction: TransactionContext) throws -> [String] { [] }
}

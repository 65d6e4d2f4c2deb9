package import DflatSQLite

/// A participant's part of the file: its tables, and their checks, repairs and statistics.
///
/// It has no state. A workspace gets the parts of all participants when it is created, because its file may be created,
/// checked and repaired before a participant is first used.
package protocol ParticipantTables: Sendable {
  /// The tables with fixed names, which are checked whenever the schema may have changed.
  var fixedTables: [FixedTable] { get }

  /// Creates the tables that every file has, in the transaction that creates the file. The participant itself creates
  /// the others, in a group, before their first use.
  func createTables(on connection: Connection) throws

  /// Returns the indexes that the table of a name has to have. Returns nil if the name isn't one of this participant's,
  /// or the SQL isn't the documented one. Statements use the table only if it has these indexes, and no triggers.
  func indexes(ofTable name: String, sql: String) -> TableFormat.Indexes?

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

/// A table with a fixed name.
package struct FixedTable: Sendable {
  package let name: String
  /// False if a file has the table only once it is needed.
  package let isInEveryFile: Bool

  package init(_ name: String, isInEveryFile: Bool) {
    self.name = name
    self.isInEveryFile = isInEveryFile
  }
}

/// The number of rows of a table.
package struct RowCount: Sendable, Equatable {
  package let table: String
  package let rows: Int

  package init(table: String, rows: Int) {
    self.table = table
    self.rows = rows
  }
}

extension Connection {
  /// Counts the rows of a table. The condition makes SQLite count row by row: otherwise it counts in one step, which
  /// `StepBudget` can't end.
  package func rowCount(of table: String) throws -> RowCount {
    RowCount(table: table, rows: Int(try integer("SELECT count(*) FROM \(quoted(table)) WHERE true")))
  }
}

package import DflatSQLite

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

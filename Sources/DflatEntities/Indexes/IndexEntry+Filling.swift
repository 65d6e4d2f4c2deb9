import DflatCore
import DflatSQLite

extension IndexEntry {
  /// Visits the rows that the index lacks until a step's limit is reached, and records the progress.
  ///
  /// - Parameters:
  ///   - rows: The maximum number of rows.
  ///   - body: Adds a row to the index. The statement's columns are the rowid and the payload.
  /// - Throws: `WorkspaceError` with code `.corrupt` if the rows don't come in order: the progress could move back, so that
  ///   the steps would never end.
  func fill(
    of table: String, upTo rows: Int, on connection: Connection, _ body: (Int64, Statement) throws -> Void
  ) throws {
    let payloads = try connection.prepare(IndexSQL.rows(of: table))
    payloads.bind(filledTo, at: 1)
    payloads.bind(last, at: 2)
    defer { payloads.reset() }
    var reached = last
    var previous = filledTo
    var count = 0
    var bytes = 0
    while try payloads.step() {
      let rowid = payloads.int64(at: 0)
      if rowid <= previous { throw WorkspaceError.rowsOutOfOrder(in: table, path: connection.path) }
      previous = rowid
      try body(rowid, payloads)
      count += 1
      bytes += payloads.withBytes(at: 1) { $0.count }
      if count == rows || bytes >= IndexFill.bytesInStep {
        reached = rowid
        break
      }
    }
    try IndexCatalog.recordProgress(of: path, of: table, to: reached, on: connection)
  }
}

import DflatCore

/// The rows of a workspace that can't be read and were reported.
final class DamagedRows: Sendable {
  /// The maximum number of rows that are reported. A file with more of them needs a check rather than more log entries.
  static let maximum = 1_000

  private struct Row: Hashable {
    /// The table's number.
    let table: Int
    let rowid: Int64
  }

  /// The core owns this object, by way of the store, and every caller holds the core.
  private unowned(unsafe) let core: WorkspaceCore
  private let reported = Lock<Set<Row>>([])

  init(core: WorkspaceCore) { self.core = core }

  /// Reports a row that can't be read to the log and the error handler, once. Queries skip such a row.
  func report(_ error: any Error, rowid: Int64, of entity: EntityDescription) {
    let isNew = reported.withLock { reported in
      reported.count < Self.maximum && reported.insert(Row(table: entity.number, rowid: rowid)).inserted
    }
    if isNew { core.report(.undecodable(error, rowid: rowid, table: entity.table, path: core.path)) }
  }
}

extension WorkspaceError {
  /// Returns the error for a row whose payload is damaged or not of its type.
  static func undecodable(_ cause: any Error, rowid: Int64, table: String, path: String) -> WorkspaceError {
    WorkspaceError(
      .undecodable, "Row \(rowid) of '\(table)' in '\(path)' can't be read; delete or replace the object.", path: path,
      underlying: cause)
  }
}

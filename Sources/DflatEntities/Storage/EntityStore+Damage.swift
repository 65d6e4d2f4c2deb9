import DflatCore

/// A row whose bytes can't be read.
struct DamagedRow: Hashable {
  /// The table's number.
  let table: Int
  let rowid: Int64
}

extension EntityStore {
  /// The maximum number of rows that are reported. A file with more of them needs a check rather than more log entries.
  static let maximumDamageReports = 1_000

  /// Reports a row that can't be read to the log and the error handler, once. Queries skip such a row.
  func reportDamage(_ error: any Error, rowid: Int64, of entity: EntityDescription) {
    let isNew = damaged.withLock { damaged in
      damaged.count < Self.maximumDamageReports
        && damaged.insert(DamagedRow(table: entity.number, rowid: rowid)).inserted
    }
    if isNew { core.report(.undecodable(error, rowid: rowid, table: entity.table, path: core.path)) }
  }
}

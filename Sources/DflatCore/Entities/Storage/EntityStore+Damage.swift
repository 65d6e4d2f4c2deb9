/// A row whose bytes can't be read.
struct DamagedRow: Hashable {
  /// The table's number.
  let table: Int
  let rowid: Int64
}

extension EntityStore {
  /// Rows that are reported at most: a file with more of them is to be checked, not logged.
  static let maximumDamageReports = 1_000

  /// Tells the log and the error handler of a row that can't be read, once. To queries it is as if it weren't there.
  func reportDamage(_ error: any Error, rowid: Int64, of entity: EntityDescription) {
    let isNew = damaged.withLock { damaged in
      damaged.count < Self.maximumDamageReports
        && damaged.insert(DamagedRow(table: entity.number, rowid: rowid)).inserted
    }
    if isNew { core.report(.undecodable(error, rowid: rowid, table: entity.table, path: core.path)) }
  }
}

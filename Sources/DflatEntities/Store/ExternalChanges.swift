import DflatCore

/// The combined changes of other processes' commits, from their change records. A value without locks or I/O.
struct ExternalChanges {
  private enum Rows {
    case some(Set<Int64>)
    case any
  }

  private var rows: [Int: Rows] = [:]
  /// The newest commit that changed each table, by the table's number.
  private(set) var newest: [Int: UInt64] = [:]
  /// The newest commit whose changes are unknown.
  private(set) var unknown: UInt64?

  init(_ records: [ChangeLog.Record]) {
    for record in records {
      switch RecordReader.record(of: EntityRecord.kind, in: record.bytes) {
      case .none: continue
      case .damaged: unknown = record.commitNumber
      case .found(let reader):
        guard let tables = EntityRecord.decode(reader) else {
          unknown = record.commitNumber
          continue
        }
        for table in tables { add(table, at: record.commitNumber) }
      }
    }
  }

  private mutating func add(_ table: EntityRecord.Table, at commitNumber: UInt64) {
    let number = TableNumbers.number(of: table.name)
    newest[number] = commitNumber
    guard let rowids = table.rowids, case .some(let known) = rows[number, default: .some([])] else {
      rows[number] = .any
      return
    }
    let all = known.union(rowids)
    rows[number] = all.count > RowChangeTracker.maximumRows ? .any : .some(all)
  }

  /// The changes of each table, by its number.
  var tables: [Int: TableChange] {
    rows.mapValues { rows in
      switch rows {
      case .some(let rowids): .rowids(rowids.sorted())
      case .any: .unknown
      }
    }
  }
}

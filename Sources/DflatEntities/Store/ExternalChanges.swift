import DflatCore

/// The combined changes of other processes' commits, from their change records. A value without locks or I/O.
struct ExternalChanges {
  /// The changed rows of each table, by the table's number.
  private var rows: [Int: Set<Int64>] = [:]
  /// The tables of which any row may have changed.
  private var anyRows: Set<Int> = []
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
    if anyRows.contains(number) { return }
    if let rowids = table.rowids, Self.add(rowids, to: &rows[number, default: []]) { return }
    rows[number] = nil
    anyRows.insert(number)
  }

  /// Adds rows to a set in place: a copy for each commit would take as long as all commits before it. Returns false if
  /// they are too many to be followed one by one.
  private static func add(_ rowids: [Int64], to known: inout Set<Int64>) -> Bool {
    known.formUnion(rowids)
    return known.count <= RowChangeTracker.maximumRows
  }

  /// The changes of each table, by its number.
  var tables: [Int: TableChange] {
    var tables = rows.mapValues { TableChange.rowids($0.sorted()) }
    for number in anyRows { tables[number] = .unknown }
    return tables
  }
}

/// `ResultRows` in rowid or key order. A value without locks or I/O.
enum AnyResultRows {
  case byRowid(ResultRows<Int64>)
  case byKey(ResultRows<SortKey>, SortKeyReader)

  var count: Int {
    switch self {
    case .byRowid(let rows): rows.keys.count
    case .byKey(let rows, _): rows.keys.count
    }
  }

  var isComplete: Bool {
    switch self {
    case .byRowid(let rows): rows.isComplete
    case .byKey(let rows, _): rows.isComplete
    }
  }

  mutating func trim(to count: Int) {
    switch self {
    case .byRowid(var rows):
      rows.trim(to: count)
      self = .byRowid(rows)
    case .byKey(var rows, let reader):
      rows.trim(to: count)
      self = .byKey(rows, reader)
    }
  }
}

extension SortKey: RowKey {
  static var isOrderOfChanges: Bool { false }
  init?(onlyRowid rowid: Int64) { nil }
}

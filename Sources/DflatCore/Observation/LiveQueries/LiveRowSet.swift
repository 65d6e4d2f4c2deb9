/// `LiveRows` in either order, and how the changes of a commit move them. A value without locks or I/O.
enum LiveRowSet {
  case byRowid(LiveRows<Int64>)
  case byKey(LiveRows<SortKey>, SortKeyReader)

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

  /// Takes a commit's changes in.
  ///
  /// - Parameters:
  ///   - entries: The changed rows that may have left or entered, in ascending order; when what they were is not known, only
  ///     those that may have entered.
  ///   - isSame: whether a changed row has the fields of the object at a position.
  /// - Returns: for each row where it was before, or `~change`; nil when nothing moved.
  mutating func move(
    _ entries: [Candidates.Entry], of changes: ChangedRows, by selection: RowSelection,
    isSame: (_ change: Int32, _ position: Int) throws -> Bool
  ) throws -> [Int32]? {
    switch self {
    case .byRowid(var rows):
      // Let go of the value here, so that what moves it need not copy it.
      let sources = try rows.move(entries, of: changes, by: selection, isSame: isSame) { _, rowid in rowid }
      if sources != nil { self = .byRowid(rows) }
      return sources
    case .byKey(var rows, let reader):
      let sources = try rows.move(entries, of: changes, by: selection, isSame: isSame) { bytes, rowid in
        try bytes.withUnsafeBytes { try reader.key(of: $0, rowid: rowid) }
      }
      if sources != nil { self = .byKey(rows, reader) }
      return sources
    }
  }
}

extension SortKey: RowKey {
  init?(onlyRowid rowid: Int64) { nil }
}

extension LiveRows {
  fileprivate mutating func move(
    _ entries: [Candidates.Entry], of changes: ChangedRows, by selection: RowSelection,
    isSame: (Int32, Int) throws -> Bool, key: ([UInt8], Int64) throws -> Key
  ) throws -> [Int32]? {
    var gone: [Int] = []
    var arrivals: [Arrival] = []
    /// The members whose old keys are not known, by their changes.
    var members = changes.knowsOld ? [:] : positions(ofChanged: changes)
    var near = 0
    for entry in entries {
      let row = changes.rows[Int(entry.change)]
      let position: Int?
      if !changes.knowsOld {
        position = members.removeValue(forKey: entry.change)
      } else if entry.mayHaveMatched, let old = row.old {
        let place = try place(of: key(old.bytes, row.rowid), near: near)
        near = place.next
        position = place.found
      } else {
        position = nil
      }
      if entry.mayMatch, let new = row.new, try selection.matches(candidate: new.bytes) {
        if let position {
          if try isSame(entry.change, position) { continue }
          gone.append(position)
        }
        arrivals.append(Arrival(key: try key(new.bytes, row.rowid), change: entry.change))
      } else if let position {
        gone.append(position)
      }
    }
    gone += members.values
    if gone.isEmpty, arrivals.isEmpty { return nil }
    if !gone.isSorted(by: <) { gone.sort() }
    if !arrivals.isSorted(by: { $0.key < $1.key }) { arrivals.sort { $0.key < $1.key } }
    return move(removing: gone, inserting: arrivals)
  }

  /// Where a key is; the next search begins there if keys are looked up in ascending order.
  private func place(of key: Key, near: Int) throws -> (found: Int?, next: Int) {
    let start = near < keys.count && keys[near] < key ? near : 0
    let found = position(of: key, from: start)
    return (found, found ?? start)
  }

  /// The changed rows that are here, by their changes.
  private func positions(ofChanged changes: ChangedRows) -> [Int32: Int] {
    var members: [Int32: Int] = [:]
    if changes.rows.count < keys.count / 8, Key(onlyRowid: 0) != nil {
      var start = 0
      for (number, row) in changes.rows.enumerated() {
        guard let key = Key(onlyRowid: row.rowid), let position = position(of: key, from: start) else { continue }
        members[Int32(number)] = position
        start = position
      }
    } else {
      for (position, key) in keys.enumerated() {
        if let number = changes.numbers[key.rowid] { members[number] = position }
      }
    }
    return members
  }
}

extension Array {
  fileprivate func isSorted(by areInOrder: (Element, Element) -> Bool) -> Bool {
    zip(self, dropFirst()).allSatisfy { !areInOrder($1, $0) }
  }
}

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
    _ entries: ArraySlice<Candidates.Entry>, of changes: ChangedRows, by selection: RowSelection,
    isSame: (_ change: Int, _ position: Int) throws -> Bool
  ) throws -> [Int32]? {
    switch self {
    case .byRowid(var rows):
      let sources = try rows.move(entries, of: changes, by: selection, isSame: isSame) { change, _ in
        changes.rowids[change]
      }
      if sources != nil { self = .byRowid(rows) }
      return sources
    case .byKey(var rows, let reader):
      let sources = try rows.move(entries, of: changes, by: selection, isSame: isSame) { change, isNew in
        let row = changes.rows[change]
        guard let bytes = (isNew ? row.new : row.old)?.bytes else {
          preconditionFailure("A row that is not there has no key.")
        }
        return try bytes.withUnsafeBytes { try reader.key(of: $0, rowid: row.rowid) }
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
  /// - Parameter key: of a changed row as it is (true), or as it was.
  fileprivate mutating func move(
    _ entries: ArraySlice<Candidates.Entry>, of changes: ChangedRows, by selection: RowSelection,
    isSame: (Int, Int) throws -> Bool, key: (Int, Bool) throws -> Key
  ) throws -> [Int32]? {
    var gone: [Int] = []
    var arrivals: [Arrival] = []
    /// The members whose old keys are not known, by their changes.
    var members = changes.knowsOld ? [:] : positions(ofChanged: changes)
    var near = 0
    for entry in entries {
      let change = entry.change
      var position: Int?
      if !changes.knowsOld {
        position = members.removeValue(forKey: change)
      } else if entry.mayHaveMatched {
        let key = try key(change, false)
        near = near < keys.count && keys[near] < key ? near : 0
        position = self.position(of: key, from: near)
        near = position ?? near
      }
      if entry.mayMatch, try selection.matches(candidate: change, of: changes) {
        if let position {
          if try isSame(change, position) { continue }
          gone.append(position)
        }
        arrivals.append(Arrival(key: try key(change, true), change: Int32(change)))
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

  /// The changed rows that are here, by their changes.
  private func positions(ofChanged changes: ChangedRows) -> [Int: Int] {
    var members: [Int: Int] = [:]
    if changes.rowids.count < keys.count / 8, Key(onlyRowid: 0) != nil {
      var start = 0
      for (number, rowid) in changes.rowids.enumerated() {
        guard let key = Key(onlyRowid: rowid), let position = position(of: key, from: start) else { continue }
        members[number] = position
        start = position
      }
    } else {
      // In place, and most rows are outside of what changed: every live query looks through all of its rows.
      guard let first = changes.rowids.first, let last = changes.rowids.last else { return [:] }
      keys.withUnsafeBufferPointer { keys in
        for position in keys.indices {
          let rowid = keys[position].rowid
          if rowid < first || rowid > last { continue }
          if let number = changes.numbers[rowid] { members[number] = position }
        }
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

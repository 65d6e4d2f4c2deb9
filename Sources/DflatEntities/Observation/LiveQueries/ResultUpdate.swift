/// The moves of one live query's rows by a commit, whose changes it takes in parts. Without locks or I/O.
///
/// For a limited query the number of arrivals that it keeps doesn't depend on the size of the commit: no more than
/// `most` rows are kept at the end, so arrivals after the first `most + 1` are trimmed in any case.
final class ResultUpdate<Key: RowKey> {
  typealias Arrival = ResultRows<Key>.Arrival

  private let rows: ResultRows<Key>
  /// The positions of the rows that leave, move or have other fields.
  private var gone: [Int] = []
  private(set) var arrivals: [Arrival] = []
  /// True if leaving rows are found at the end, by the result's rowids; false if each is found by its old key.
  private let findsMembersLast: Bool
  /// The number of first arrivals that count; nil for all.
  private let most: Int?
  /// The last key that counts: later arrivals don't.
  private var bound: Key?
  /// True if no later change counts.
  private var isFull = false
  /// The position that was found last, where the next search starts.
  private var near = 0

  /// - Parameters:
  ///   - rows: The rows before the commit.
  ///   - most: The number of rows that a limited query keeps; nil for all.
  ///   - knowsOld: True if the changes include the rows' old contents.
  ///   - count: The approximate number of changed rows to take; `.max` if they come sorted.
  init(of rows: ResultRows<Key>, most: Int?, knowsOld: Bool, forEntries count: Int) {
    self.rows = rows
    self.most = most.map { $0 + 1 }
    bound = rows.isComplete ? nil : rows.keys.last
    // Rows in rowid order are found one after the other. Other keys have to be read from the old contents, which takes
    // longer than a look at the whole result if many rows changed.
    findsMembersLast = !knowsOld || !Key.isOrderOfChanges && count >= rows.keys.count / 8
  }

  /// Takes changed rows, in ascending order.
  ///
  /// - Parameters:
  ///   - entries: The rows that may have left or entered the result.
  ///   - matches: Returns true if the new contents of a row that may match do match.
  ///   - isSame: Returns true if a row has the same fields as the object at a position.
  ///   - key: Returns the key of a row's new (true) or old (false) contents.
  func take(
    _ entries: ArraySlice<Candidates.Entry>, matches: (_ change: Int) throws -> Bool,
    isSame: (_ change: Int, _ position: Int) throws -> Bool, key: (_ change: Int, _ isNew: Bool) throws -> Key
  ) throws {
    for entry in entries {
      if isFull { return }
      let change = entry.change
      if Key.isOrderOfChanges, let bound, bound < (try key(change, entry.mayMatch)) {
        isFull = true
        return
      }
      let position = findsMembersLast || !entry.mayHaveMatched ? nil : self.position(of: try key(change, false))
      if entry.mayMatch, try matches(change) {
        if let position {
          if try isSame(change, position) { continue }
          gone.append(position)
        }
        arrive(Arrival(key: try key(change, true), change: Int32(change)))
      } else if let position {
        gone.append(position)
      }
    }
  }

  /// Takes all changed rows that still exist, in the result's order. All of them match.
  func take(sorted all: [Arrival]) {
    assert(findsMembersLast && arrivals.isEmpty)
    for arrival in all {
      if let bound, bound < arrival.key { return }
      if arrivals.count == most { return }
      arrivals.append(arrival)
    }
  }

  private func position(of key: Key) -> Int? {
    if near >= rows.keys.count || !(rows.keys[near] < key) { near = 0 }
    let position = rows.position(of: key, from: near)
    near = position ?? near
    return position
  }

  private func arrive(_ arrival: Arrival) {
    if let bound, bound < arrival.key { return }
    arrivals.append(arrival)
    guard let most else { return }
    if Key.isOrderOfChanges {
      isFull = arrivals.count == most
    } else if arrivals.count == 2 * most {
      arrivals.sort { $0.key < $1.key }
      arrivals.removeLast(most)
      bound = arrivals.last?.key
    }
  }

  /// Returns the rows after the commit, each with its old position or `~change`; nil if nothing moved.
  func finish(
    with changes: PublishedRows, isSame: (_ change: Int, _ position: Int) throws -> Bool
  ) throws -> (rows: ResultRows<Key>, sources: [Int32])? {
    // Find the changed rows in the result. Those that stay the same don't arrive; the others leave their position.
    if findsMembersLast {
      var members = positions(ofChanged: changes)
      if !members.isEmpty {
        try arrivals.removeAll { arrival in
          guard let position = members.removeValue(forKey: Int(arrival.change)) else { return false }
          if try isSame(Int(arrival.change), position) { return true }
          gone.append(position)
          return false
        }
        gone += members.values
      }
    }
    if gone.isEmpty, arrivals.isEmpty { return nil }
    if !gone.isSorted(by: <) { gone.sort() }
    if !arrivals.isSorted(by: { $0.key < $1.key }) { arrivals.sort { $0.key < $1.key } }
    var moved = rows
    let sources = moved.move(removing: gone, inserting: arrivals)
    return (moved, sources)
  }

  /// Returns the positions of the changed rows that are in the result, by their changes.
  private func positions(ofChanged changes: PublishedRows) -> [Int: Int] {
    let keys = rows.keys
    var members: [Int: Int] = [:]
    if changes.rowids.count < keys.count / 8, Key(onlyRowid: 0) != nil {
      // With few changes, search for each of them.
      var start = 0
      for (number, rowid) in changes.rowids.enumerated() {
        guard let key = Key(onlyRowid: rowid), let position = rows.position(of: key, from: start) else { continue }
        members[number] = position
        start = position
      }
    } else {
      // Read the keys in place, and test the range first: every live query scans all of its rows here, most of them
      // outside.
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

/// `ResultUpdate` in rowid or key order.
enum AnyResultUpdate {
  case byRowid(ResultUpdate<Int64>)
  case byKey(ResultUpdate<SortKey>, SortKeyReader)

  init(of rows: AnyResultRows, by selection: RowSelection, knowsOld: Bool, forEntries count: Int) {
    switch rows {
    case .byRowid(let rows):
      self = .byRowid(ResultUpdate(of: rows, most: selection.most, knowsOld: knowsOld, forEntries: count))
    case .byKey(let rows, let reader):
      self = .byKey(ResultUpdate(of: rows, most: selection.most, knowsOld: knowsOld, forEntries: count), reader)
    }
  }

  func take(
    _ entries: ArraySlice<Candidates.Entry>, of changes: PublishedRows, by selection: RowSelection,
    isSame: (_ change: Int, _ position: Int) throws -> Bool
  ) throws {
    func matches(_ change: Int) throws -> Bool { try selection.matches(candidate: change, of: changes) }
    switch self {
    case .byRowid(let moves):
      try moves.take(entries, matches: matches, isSame: isSame) { change, _ in changes.rowids[change] }
    case .byKey(let moves, let reader):
      try moves.take(entries, matches: matches, isSame: isSame) { change, isNew in
        let row = changes.rows[change]
        guard let bytes = (isNew ? row.new : row.old)?.bytes else {
          preconditionFailure("A row must exist to have a key.")
        }
        return try bytes.withUnsafeBytes { try reader.key(of: $0, rowid: row.rowid) }
      }
    }
  }

  func take(_ sorted: [ResultRows<SortKey>.Arrival]) {
    guard case .byKey(let moves, _) = self else { preconditionFailure("Only a sorted query can take sorted rows.") }
    moves.take(sorted: sorted)
  }

  func finish(
    with changes: PublishedRows, isSame: (_ change: Int, _ position: Int) throws -> Bool
  ) throws -> (rows: AnyResultRows, sources: [Int32])? {
    switch self {
    case .byRowid(let moves):
      guard let (rows, sources) = try moves.finish(with: changes, isSame: isSame) else { return nil }
      return (.byRowid(rows), sources)
    case .byKey(let moves, let reader):
      guard let (rows, sources) = try moves.finish(with: changes, isSame: isSame) else { return nil }
      return (.byKey(rows, reader), sources)
    }
  }
}

extension Array {
  fileprivate func isSorted(by areInOrder: (Element, Element) -> Bool) -> Bool {
    zip(self, dropFirst()).allSatisfy { !areInOrder($1, $0) }
  }
}

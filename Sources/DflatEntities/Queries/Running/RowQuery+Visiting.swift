import DflatBuffers
import DflatCore
import DflatSQLite
import HeapModule

extension RowQuery {
  /// Returns the objects of the rows, in the requested order.
  func objects<Element: Atom>(
    on connection: Connection, commitNumber: UInt64, storage: LazyEntityStorage
  ) throws -> [Element] {
    var objects: [Element] = []
    let origin = EntityOrigin(of: entity, on: connection, at: commitNumber, for: storage.core)
    let positions = try visit(on: connection, storage: storage) { rowid, bytes in
      objects.append(try Element.stored(in: bytes, origin.identity(of: rowid)))
    }
    return positions.map { positions in positions.map { objects[$0] } } ?? objects
  }

  /// Passes the rows to `body`, within limit and offset. Returns nil if they were passed in the requested order.
  /// Otherwise returns the positions of the result's rows, in order, among those that were passed.
  ///
  /// Rows outside the result are passed only if all rows have to be sorted and the offset skips some of them.
  func visit(
    on connection: Connection, storage: LazyEntityStorage, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Int]? {
    if limit == 0 { return nil }
    let matches = try matches(on: connection, storage: storage)
    if matches.plan.isStreamed {
      try stream(matches, body)
      return nil
    }
    guard let end else { return try sort(matches, body) }
    if matches.plan.isSortedByFirst {
      try sortTies(upTo: end, of: matches, body)
    } else {
      try select(end, of: matches, body)
    }
    return nil
  }

  /// Passes the matches, which come in the requested order. Stops reading at the last one.
  private func stream(_ matches: MatchingRows, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
    var left = limit ?? .max
    var skipped = 0
    try matches.forEach { rowid, bytes in
      if skipped < offset {
        skipped += 1
        return true
      }
      try body(rowid, bytes)
      left -= 1
      return left > 0
    }
  }

  /// Passes all matches as they come, and returns their positions in the requested order.
  private func sort(
    _ matches: MatchingRows, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Int] {
    let reader = SortKeyReader(matches.plan.sorting)
    var found: [(key: SortKey, place: Int)] = []
    try matches.forEach { rowid, bytes in
      // Count a row only if neither of these throws.
      let key = try reader.key(of: bytes, rowid: rowid)
      try body(rowid, bytes)
      found.append((key, found.count))
      return true
    }
    found.sort { $0.key < $1.key }
    return found.dropFirst(offset).map { $0.place }
  }

  /// Passes the first matches, which come in the first of several orders. Sorts those that are equal in it, and stops
  /// reading when there are enough.
  private func sortTies(
    upTo count: Int, of matches: MatchingRows, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let reader = SortKeyReader(matches.plan.sorting)
    /// The first of the rows that are equal in the first order, as many as may be passed.
    var ties = Heap<KeyedRow>()
    var first: SortKey?
    var passed = 0
    var damaged: Int64?
    /// Passes the rows in `ties`. Returns false if no more rows are needed.
    func passTies() throws -> Bool {
      for row in ties.unordered.sorted(by: >) {
        if passed >= offset {
          do { try row.bytes.withUnsafeBytes { try body(row.key.rowid, $0) } } catch let error as FlatBufferError {
            matches.reportDamage(error, row.key.rowid)
            damaged = row.key.rowid
            return false
          }
        }
        passed += 1
      }
      ties = Heap()
      return passed < count
    }
    try matches.forEach { rowid, bytes in
      let key = try reader.key(of: bytes, rowid: rowid)
      if let first, !key.isTied(with: first), try !passTies() { return false }
      if ties.isEmpty { first = key }
      ties.replaceLast(with: key, bytes, ifFullAt: count - passed)
      return true
    }
    if damaged == nil, passed < count { _ = try passTies() }
    // The row that takes the position of a damaged one may not be among the selected ties.
    if let damaged { try select(count, of: matches, without: [damaged], after: passed - offset, body) }
  }

  /// Passes the first matches, which a heap selects from all of them.
  ///
  /// - Parameters:
  ///   - count: The number of first matches, with those that the offset skips.
  ///   - matches: The matches.
  ///   - damaged: Rows that are known to be damaged.
  ///   - shown: The number of rows that were passed already.
  ///   - body: The closure that the rows are passed to.
  private func select(
    _ count: Int, of matches: MatchingRows, without damaged: Set<Int64> = [], after shown: Int = 0,
    _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var damaged = damaged
    var shown = shown
    // Leave room for rows that replace damaged ones. Doubling it each round keeps the rounds few.
    var wanted = count
    while true {
      // The rows passed in earlier rounds are the first ones in this round, too.
      let found = try first(wanted, of: matches, without: damaged)
      for row in found.dropFirst(offset + shown) {
        if offset + shown == count { return }
        do { try row.bytes.withUnsafeBytes { try body(row.key.rowid, $0) } } catch let error as FlatBufferError {
          // Another row takes its position.
          matches.reportDamage(error, row.key.rowid)
          damaged.insert(row.key.rowid)
          continue
        }
        shown += 1
      }
      if offset + shown == count || found.count < wanted { return }
      wanted = wanted.multipliedReportingOverflow(by: 2).overflow ? .max : wanted * 2
    }
  }

  /// Returns the first matches in the requested order, without the damaged ones.
  private func first(
    _ count: Int, of matches: MatchingRows, without damaged: Set<Int64>
  ) throws -> [KeyedRow] {
    let reader = SortKeyReader(matches.plan.sorting)
    var heap = Heap<KeyedRow>()
    try matches.forEach { rowid, bytes in
      let key = try reader.key(of: bytes, rowid: rowid)
      if !damaged.contains(rowid) { heap.replaceLast(with: key, bytes, ifFullAt: count) }
      return true
    }
    return heap.unordered.sorted(by: >)
  }
}

/// A row and its sort key. The row with the largest key, which is the one to replace, is the smallest element: a heap
/// finds it without a comparison.
private struct KeyedRow: Comparable {
  let key: SortKey
  let bytes: [UInt8]

  static func == (a: KeyedRow, b: KeyedRow) -> Bool { a.key == b.key }
  static func < (a: KeyedRow, b: KeyedRow) -> Bool { b.key < a.key }
}

extension Heap<KeyedRow> {
  /// Inserts a row. If there are `count` rows, replaces the one with the largest key, or leaves them as they are if that
  /// one precedes the new row.
  fileprivate mutating func replaceLast(with key: SortKey, _ bytes: UnsafeRawBufferPointer, ifFullAt count: Int) {
    let isFull = self.count == count
    if isFull, let last = self.min, last.key <= key { return }
    let row = KeyedRow(key: key, bytes: Array(bytes))
    if isFull { replaceMin(with: row) } else { insert(row) }
  }
}

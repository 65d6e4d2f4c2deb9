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
    let positions = try visit(on: connection, storage: storage, trustingLookups: true) { rowid, bytes in
      objects.append(try Element.stored(in: bytes, origin.identity(of: rowid)))
    }
    return positions.map { positions in positions.map { objects[$0] } } ?? objects
  }

  /// Returns the values that `make` creates from the rows, in the requested order, within limit and offset.
  ///
  /// - Parameter trustsLookups: True if `make` decodes the whole object, or should get damaged rows that lookups find.
  func collect<Value>(
    on connection: Connection, storage: LazyEntityStorage, trustingLookups trustsLookups: Bool = false,
    _ make: (Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    let positions = try visit(on: connection, storage: storage, trustingLookups: trustsLookups) {
      values.append(try make($0, $1))
    }
    return positions.map { positions in positions.map { values[$0] } } ?? values
  }

  /// Passes the rows to `body`, within limit and offset. Returns nil if they were passed in the requested order.
  /// Otherwise returns the positions of the result's rows, in order, among those that were passed.
  ///
  /// Rows outside the result are passed only if all rows have to be sorted and the offset skips some of them.
  ///
  /// Damaged rows that `body` can't read are left out. The offset counts them, though, whatever the plan, if the values
  /// of all conditions and sort keys can be read.
  ///
  /// - Parameter trustsLookups: True if `body` decodes the whole object, or should get damaged rows that lookups find.
  func visit(
    on connection: Connection, storage: LazyEntityStorage, trustingLookups trustsLookups: Bool = false,
    _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Int]? {
    if limit == 0 { return nil }
    guard orders.isEmpty, offset == 0, let key = QueryPlanner.key(in: predicate, for: entity) else {
      // Rows that the offset skips aren't passed to `body`.
      let matches = try matches(on: connection, storage: storage, trustingLookups: trustsLookups && offset == 0)
      return try visit(matches, body)
    }
    // The most frequent query. Its plan would take longer to make and to copy than the row to find.
    try SchemaCatalog.requireCompatibility(of: entity, on: connection)
    let condition = trustsLookups ? nil : predicate.map(CompiledPredicate.init)
    try EntityRows.visit(key, in: entity, on: connection) { rowid, bytes in
      do {
        if let condition, try !condition.matches(bytes) { return }
        try body(rowid, bytes)
      } catch let error as FlatBufferError {
        storage.value.damage.report(error, rowid: rowid, of: entity)
      }
    }
    return nil
  }

  /// Passes the rows of this query's plan to `body`, as above.
  func visit(
    _ matches: MatchingRows, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Int]? {
    if limit == 0 { return nil }
    guard comesInOrder(by: matches.plan) else { return try sort(matches, body) }
    var passed = Passed()
    if matches.plan.isStreamed {
      if try stream(matches, &passed, body) { return nil }
      if let end, let rest = matches.fallback { try select(end, of: rest, &passed, body) }
    } else if let end {
      if matches.plan.isSortedByFirst {
        try sortTies(upTo: end, of: matches, body)
      } else {
        try select(end, of: matches, &passed, body)
      }
    }
    return nil
  }

  /// Returns true if `visit` passes the rows of a plan in the requested order.
  func comesInOrder(by plan: QueryPlan) -> Bool { plan.isStreamed || end != nil }

  /// The first rows of the result, which were passed already.
  private struct Passed {
    var count = 0
    /// The rows that turned out to be damaged. They have no position in the result.
    var damaged: Set<Int64> = []
  }

  /// Passes the matches, which come in the requested order. Stops reading at the last one. Returns false if the plan's
  /// fallback has to find the rest.
  private func stream(
    _ matches: MatchingRows, _ passed: inout Passed, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    // Leave out rows whose sort key is damaged, as where rows are sorted. A `body` that decodes all rows does so, too.
    let reader = matches.trustsLookups && matches.plan.fallback == nil ? nil : SortKeyReader(orders)
    let most = limit ?? .max
    var skipped = 0
    return try matches.forEach { rowid, bytes in
      if let reader { _ = try reader.key(of: bytes, rowid: rowid) }
      if skipped < offset {
        skipped += 1
        return true
      }
      do { try body(rowid, bytes) } catch let error as FlatBufferError {
        passed.damaged.insert(rowid)
        throw error
      }
      passed.count += 1
      return passed.count < most
    }
  }

  /// Passes all matches as they come, and returns their positions in the requested order.
  private func sort(
    _ matches: MatchingRows, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Int] {
    let reader = SortKeyReader(matches.plan.sorting)
    var found: [(key: SortKey, place: Int?)] = []
    var count = 0
    try matches.forEach { rowid, bytes in
      let key = try reader.key(of: bytes, rowid: rowid)
      do { try body(rowid, bytes) } catch let error as FlatBufferError {
        // The row has no place in the result, but the offset counts it.
        if offset > 0 { found.append((key, nil)) }
        throw error
      }
      found.append((key, count))
      count += 1
      return true
    }
    found.sort { $0.key < $1.key }
    return found.dropFirst(offset).compactMap { $0.place }
  }

  /// Passes the first matches, which come in the first of several orders. Sorts those that are equal in it, and stops
  /// reading when there are enough.
  private func sortTies(
    upTo count: Int, of matches: MatchingRows, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let reader = SortKeyReader(matches.plan.sorting)
    var passed = Passed()
    var wanted = count
    var isIncomplete = false
    repeat {
      isIncomplete = false
      /// The first of the rows that are equal in the first order, as many as may be passed.
      var ties = Heap<KeyedRow>()
      var first: SortKey?
      var position = 0
      /// Passes the rows in `ties`. Returns false if reading ends.
      func passTies() throws -> Bool {
        let isFull = ties.count == wanted - position
        for row in ties.unordered.sorted(by: >) where position < count {
          if try pass(row, at: position, of: matches, &passed, body) { position += 1 }
        }
        ties = Heap()
        // The row that takes the position of a damaged one may not be among the kept ones.
        isIncomplete = isFull && position < count
        return position < count && !isIncomplete
      }
      try matches.forEach { rowid, bytes in
        let key = try reader.key(of: bytes, rowid: rowid)
        if passed.damaged.contains(rowid) { return true }
        if let first, !key.isTied(with: first), try !passTies() { return false }
        if ties.isEmpty { first = key }
        ties.replaceLast(with: key, bytes, ifFullAt: wanted - position)
        return true
      }
      if position < count, !isIncomplete { _ = try passTies() }
      wanted = Self.more(than: wanted)
    } while isIncomplete
  }

  /// Passes the first matches, which a heap selects from all of them.
  ///
  /// - Parameters:
  ///   - count: The number of first matches, with those that the offset skips.
  ///   - matches: The matches.
  ///   - passed: The rows that were passed already, and those that are known to be damaged.
  ///   - body: The closure that the rows are passed to.
  private func select(
    _ count: Int, of matches: MatchingRows, _ passed: inout Passed,
    _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var wanted = count
    while true {
      // The rows that were passed in earlier rounds are the first ones in this round, too.
      let found = try first(wanted, of: matches, without: passed.damaged)
      var position = 0
      for row in found where position < count {
        if try pass(row, at: position, of: matches, &passed, body) { position += 1 }
      }
      if position == count || found.count < wanted { return }
      wanted = Self.more(than: wanted)
    }
  }

  /// Returns the number of rows to keep in the next round, with room for rows that replace damaged ones. Doubling it
  /// each round keeps the rounds few.
  private static func more(than wanted: Int) -> Int {
    wanted.multipliedReportingOverflow(by: 2).overflow ? .max : wanted * 2
  }

  /// Passes the row at a position, unless the offset skips it or it was passed already. Returns false if it is damaged,
  /// so that another row takes its position.
  private func pass(
    _ row: KeyedRow, at position: Int, of matches: MatchingRows, _ passed: inout Passed,
    _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    if position < offset + passed.count { return true }
    do { try row.bytes.withUnsafeBytes { try body(row.key.rowid, $0) } } catch let error as FlatBufferError {
      matches.reportDamage(error, row.key.rowid)
      passed.damaged.insert(row.key.rowid)
      return false
    }
    passed.count += 1
    return true
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
  /// Inserts a row. If there are `count` rows, replaces the one with the largest key, or leaves them as they are if
  /// that one precedes the new row.
  fileprivate mutating func replaceLast(with key: SortKey, _ bytes: UnsafeRawBufferPointer, ifFullAt count: Int) {
    let isFull = self.count == count
    if isFull, let last = self.min, last.key <= key { return }
    let row = KeyedRow(key: key, bytes: Array(bytes))
    if isFull { replaceMin(with: row) } else { insert(row) }
  }
}

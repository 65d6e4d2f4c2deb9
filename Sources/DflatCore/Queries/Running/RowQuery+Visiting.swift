import DflatBuffers
import DflatSQLite

extension RowQuery {
  /// Shows the rows to `body`, within limit and offset and in the asked order; or in another one, and then the places are
  /// returned that the rows of the result have among those that were shown.
  ///
  /// Rows that are not part of the result are shown only where all have to be sorted and some left out at the beginning.
  func visit(
    on connection: Connection, core: WorkspaceCore, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Int]? {
    if limit == 0 { return nil }
    let matches = try matches(on: connection, core: core)
    if matches.plan.isStreamed {
      try stream(matches, body)
      return nil
    }
    if let limit, case (let count, overflow: false) = limit.addingReportingOverflow(offset) {
      try select(count, of: matches, body)
      return nil
    }
    return try sort(matches, body)
  }

  /// The matches come in the asked order: reading ends with the last one that is wanted.
  private func stream(_ matches: Matches, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
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

  /// All matches as they come, and the order of their keys.
  private func sort(
    _ matches: Matches, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Int] {
    let reader = SortKeyReader(matches.plan.sorting)
    var found: [(key: SortKey, place: Int)] = []
    try matches.forEach { rowid, bytes in
      // What throws has counted for nothing.
      let key = try reader.key(of: bytes, rowid: rowid)
      try body(rowid, bytes)
      found.append((key, found.count))
      return true
    }
    found.sort { $0.key < $1.key }
    return found.dropFirst(offset).map { $0.place }
  }

  /// The first matches, chosen from all of them by a heap of as many.
  private func select(
    _ count: Int, of matches: Matches, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var damaged: Set<Int64> = []
    var shown = 0
    // Places for the rows that come in for damaged ones: each round has twice as many, so that there are few.
    var places = count
    while true {
      // Those that were shown in an earlier round are the first ones in this one too.
      let found = try first(places, of: matches, without: damaged)
      for (key, bytes) in found.dropFirst(offset + shown) {
        if offset + shown == count { return }
        do { try bytes.withUnsafeBytes { try body(key.rowid, $0) } } catch let error as FlatBufferError {
          // Another row gets its place.
          matches.reportDamage(error, key.rowid)
          damaged.insert(key.rowid)
          continue
        }
        shown += 1
      }
      if offset + shown == count || found.count < places { return }
      places = places.multipliedReportingOverflow(by: 2).overflow ? .max : places * 2
    }
  }

  private func first(
    _ count: Int, of matches: Matches, without damaged: Set<Int64>
  ) throws -> [(key: SortKey, value: [UInt8])] {
    let reader = SortKeyReader(matches.plan.sorting)
    var heap = BoundedHeap<[UInt8]>(capacity: count)
    try matches.forEach { rowid, bytes in
      let key = try reader.key(of: bytes, rowid: rowid)
      if heap.accepts(key), !damaged.contains(rowid) { heap.insert(key, Array(bytes)) }
      return true
    }
    return heap.sorted()
  }
}

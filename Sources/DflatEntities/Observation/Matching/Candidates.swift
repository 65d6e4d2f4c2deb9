/// The queries that each changed row may have left or entered. Collected by row, read by query.
struct Candidates {
  /// A changed row that one query has to look at.
  struct Entry: Equatable {
    /// change << 2 | mayMatch << 1 | mayHaveMatched. Packed because there may be millions of entries.
    fileprivate var bits: Int64

    init(change: Int32, mayHaveMatched: Bool, mayMatch: Bool) {
      bits = Int64(change) << 2 | (mayMatch ? 2 : 0) | (mayHaveMatched ? 1 : 0)
    }

    /// The position of the change in the commit's list.
    var change: Int { Int(bits >> 2) }
    /// True if the query may have matched the old row.
    var mayHaveMatched: Bool { bits & 1 != 0 }
    /// True if the query may match the new row.
    var mayMatch: Bool { bits & 2 != 0 }
  }

  private var numbers: [Int32] = []
  private var entries: [Entry] = []
  /// The number of entries of all queries.
  var count: Int { entries.count }
  /// The queries with entries, each once.
  private var touched: [Int32] = []
  /// The position of each query's newest entry; -1 for none.
  private var newest: [Int32]

  /// - Parameters:
  ///   - count: The number of queries. All their numbers are lower.
  ///   - memory: The result of an earlier `forEachQuery`. Reusing it avoids a cost proportional to the number of
  ///     queries.
  init(count: Int, reusing memory: [Int32] = []) {
    newest = memory
    newest += repeatElement(-1, count: max(0, count - newest.count))
  }

  /// Adds a row to a query's entries. Changes come in ascending order.
  mutating func add(_ number: Int32, change: Int, isNew: Bool) {
    let entry = Entry(change: Int32(change), mayHaveMatched: !isNew, mayMatch: isNew)
    let position = Int(newest[Int(number)])
    if position < 0 {
      touched.append(number)
    } else if entries[position].change == change {
      entries[position].bits |= entry.bits
      return
    }
    newest[Int(number)] = Int32(entries.count)
    numbers.append(number)
    entries.append(entry)
  }

  /// Calls `body` for each query that a row may have left or entered, with these rows in the order of the changes.
  ///
  /// - Returns: The memory to reuse.
  consuming func forEachQuery(_ body: (Int32, ArraySlice<Entry>) throws -> Void) rethrows -> [Int32] {
    // Sort the entries by query (counting sort). Meanwhile `newest` has each query's position in `touched`.
    for (position, number) in touched.enumerated() { newest[Int(number)] = Int32(position) }
    var starts = [Int](repeating: 0, count: touched.count + 1)
    for number in numbers { starts[Int(newest[Int(number)]) + 1] += 1 }
    for position in touched.indices { starts[position + 1] += starts[position] }
    var sorted = entries
    var next = starts
    for (number, entry) in zip(numbers, entries) {
      let position = Int(newest[Int(number)])
      sorted[next[position]] = entry
      next[position] += 1
    }
    for (position, number) in touched.enumerated() {
      newest[Int(number)] = -1
      try body(number, sorted[starts[position]..<starts[position + 1]])
    }
    return newest
  }
}

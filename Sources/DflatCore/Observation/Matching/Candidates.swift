/// Which queries each changed row may have left or entered, gathered row by row and then read query by query.
struct Candidates {
  /// A changed row, as one query sees it.
  struct Entry: Equatable {
    /// change << 2 | mayMatch << 1 | mayHaveMatched: there may be millions.
    fileprivate var bits: Int64

    init(change: Int32, mayHaveMatched: Bool, mayMatch: Bool) {
      bits = Int64(change) << 2 | (mayMatch ? 2 : 0) | (mayHaveMatched ? 1 : 0)
    }

    /// The place of the change in the commit's list.
    var change: Int { Int(bits >> 2) }
    /// The query may have matched the row as it was.
    var mayHaveMatched: Bool { bits & 1 != 0 }
    /// The query may match the row as it is.
    var mayMatch: Bool { bits & 2 != 0 }
  }

  private var numbers: [Int32] = []
  private var entries: [Entry] = []
  /// How many rows of queries there are.
  var count: Int { entries.count }
  /// The queries with entries, each once.
  private var touched: [Int32] = []
  /// For each query the place of its newest entry, -1 for none.
  private var newest: [Int32]

  /// - Parameters:
  ///   - count: All queries have lower numbers.
  ///   - memory: What `forEachQuery` returned before: with it nothing costs as much as there are queries.
  init(count: Int, reusing memory: [Int32] = []) {
    newest = memory
    newest += repeatElement(-1, count: max(0, count - newest.count))
  }

  /// Changes come in ascending order.
  mutating func add(_ number: Int32, change: Int, isNew: Bool) {
    let entry = Entry(change: Int32(change), mayHaveMatched: !isNew, mayMatch: isNew)
    let place = Int(newest[Int(number)])
    if place < 0 {
      touched.append(number)
    } else if entries[place].change == change {
      entries[place].bits |= entry.bits
      return
    }
    newest[Int(number)] = Int32(entries.count)
    numbers.append(number)
    entries.append(entry)
  }

  /// Each query that any row may have left or entered, with these rows in the order of the changes.
  ///
  /// - Returns: memory for the next ones.
  consuming func forEachQuery(_ body: (Int32, ArraySlice<Entry>) throws -> Void) rethrows -> [Int32] {
    for (place, number) in touched.enumerated() { newest[Int(number)] = Int32(place) }
    var starts = [Int](repeating: 0, count: touched.count + 1)
    for number in numbers { starts[Int(newest[Int(number)]) + 1] += 1 }
    for place in touched.indices { starts[place + 1] += starts[place] }
    var sorted = entries
    var next = starts
    for (number, entry) in zip(numbers, entries) {
      let place = Int(newest[Int(number)])
      sorted[next[place]] = entry
      next[place] += 1
    }
    for (place, number) in touched.enumerated() {
      newest[Int(number)] = -1
      try body(number, sorted[starts[place]..<starts[place + 1]])
    }
    return newest
  }
}

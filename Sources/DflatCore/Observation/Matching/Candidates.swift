/// Which queries each changed row may have left or entered, gathered row by row and then read query by query.
struct Candidates {
  /// A changed row, as one query sees it.
  struct Entry: Equatable {
    /// The place of the change in the commit's list.
    let change: Int32
    /// The query may have matched the row as it was.
    let mayHaveMatched: Bool
    /// The query may match the row as it is.
    let mayMatch: Bool
  }

  private var numbers: [Int32] = []
  /// change << 2 | mayMatch << 1 | mayHaveMatched
  private var entries: [Int64] = []
  /// For each query the place of its newest entry.
  private var newest: [Int32]

  /// - Parameter count: All queries have lower numbers.
  init(count: Int) { newest = [Int32](repeating: -1, count: count) }

  /// Changes come in ascending order.
  mutating func add(_ number: Int32, change: Int32, isNew: Bool) {
    let flag: Int64 = isNew ? 2 : 1
    let place = Int(newest[Int(number)])
    if place >= 0, entries[place] >> 2 == Int64(change) {
      entries[place] |= flag
      return
    }
    newest[Int(number)] = Int32(entries.count)
    numbers.append(number)
    entries.append(Int64(change) << 2 | flag)
  }

  /// Each query that any row may have left or entered, with these rows in the order of the changes.
  func forEachQuery(_ body: (Int32, [Entry]) throws -> Void) rethrows {
    var starts = [Int](repeating: 0, count: newest.count + 1)
    for number in numbers { starts[Int(number) + 1] += 1 }
    for number in 0..<newest.count { starts[number + 1] += starts[number] }
    var sorted = [Int64](repeating: 0, count: entries.count)
    var next = starts
    for (number, entry) in zip(numbers, entries) {
      sorted[next[Int(number)]] = entry
      next[Int(number)] += 1
    }
    for number in 0..<newest.count where starts[number] < starts[number + 1] {
      let own = sorted[starts[number]..<starts[number + 1]].map { entry in
        Entry(change: Int32(entry >> 2), mayHaveMatched: entry & 1 != 0, mayMatch: entry & 2 != 0)
      }
      try body(Int32(number), own)
    }
  }
}

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
  /// For each query the place of its newest entry.
  private var newest: [Int32]

  /// - Parameter count: All queries have lower numbers.
  init(count: Int) { newest = [Int32](repeating: -1, count: count) }

  /// Changes come in ascending order.
  mutating func add(_ number: Int32, change: Int, isNew: Bool) {
    let entry = Entry(change: Int32(change), mayHaveMatched: !isNew, mayMatch: isNew)
    let place = Int(newest[Int(number)])
    if place >= 0, entries[place].change == change {
      entries[place].bits |= entry.bits
      return
    }
    newest[Int(number)] = Int32(entries.count)
    numbers.append(number)
    entries.append(entry)
  }

  /// Each query that any row may have left or entered, with these rows in the order of the changes.
  func forEachQuery(_ body: (Int32, ArraySlice<Entry>) throws -> Void) rethrows {
    var starts = [Int](repeating: 0, count: newest.count + 1)
    for number in numbers { starts[Int(number) + 1] += 1 }
    for number in 0..<newest.count { starts[number + 1] += starts[number] }
    var sorted = entries
    var next = starts
    for (number, entry) in zip(numbers, entries) {
      sorted[next[Int(number)]] = entry
      next[Int(number)] += 1
    }
    for number in 0..<newest.count where starts[number] < starts[number + 1] {
      try body(Int32(number), sorted[starts[number]..<starts[number + 1]])
    }
  }
}

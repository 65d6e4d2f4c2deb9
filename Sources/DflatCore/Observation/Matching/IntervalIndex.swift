/// Where a range of values ends.
struct IntervalBound: Hashable {
  let value: QueryValue
  let isInclusive: Bool
}

/// Which of many intervals contain a value: a segment tree over their ends, built when it is asked after a change.
///
///     ends      v0      v1      v2          each end and each gap between two has a place: 0 … 2n
///     places  0  1   2   3   4   5  6       an interval is a run of places, kept at O(log n) nodes of the tree;
///                                           a value's place is in the intervals of the nodes above it
///
/// The values of one index are of one type. Null and NaN are in no interval.
struct IntervalIndex {
  private var intervals: [Int32: (lower: IntervalBound?, upper: IntervalBound?)] = [:]
  private var isBuilt = true
  private var ends: [QueryValue] = []
  /// The intervals at node `n` are `members[starts[n]..<starts[n + 1]]`.
  private var starts: [Int32] = []
  private var members: [Int32] = []

  var isEmpty: Bool { intervals.isEmpty }

  mutating func insert(_ number: Int32, from lower: IntervalBound?, to upper: IntervalBound?) {
    intervals[number] = (lower, upper)
    isBuilt = false
  }

  mutating func remove(_ number: Int32) {
    if intervals.removeValue(forKey: number) != nil { isBuilt = false }
  }

  /// Makes the index ready for `forEach`.
  mutating func build() {
    if isBuilt { return }
    isBuilt = true
    var all: [QueryValue] = []
    for (lower, upper) in intervals.values {
      if let lower { all.append(lower.value) }
      if let upper { all.append(upper.value) }
    }
    // A bound that is NaN contains nothing, and has no place.
    all.removeAll { $0.isUnordered }
    all.sort { $0.precedes($1) }
    ends = []
    for value in all where ends.last.map({ $0.precedes(value) }) ?? true { ends.append(value) }
    place()
  }

  private mutating func place() {
    var runs: [(number: Int32, node: Int)] = []
    let leaves = 2 * ends.count + 1
    for (number, (lower, upper)) in intervals {
      guard let run = run(from: lower, to: upper) else { continue }
      var low = run.lowerBound + leaves
      var high = run.upperBound + leaves
      while low < high {
        if low & 1 == 1 {
          runs.append((number, low))
          low += 1
        }
        if high & 1 == 1 {
          high -= 1
          runs.append((number, high))
        }
        low /= 2
        high /= 2
      }
    }
    starts = [Int32](repeating: 0, count: 2 * leaves + 1)
    for run in runs { starts[run.node + 1] += 1 }
    for node in 1..<starts.count { starts[node] += starts[node - 1] }
    var next = starts
    members = [Int32](repeating: 0, count: runs.count)
    for run in runs {
      members[Int(next[run.node])] = run.number
      next[run.node] += 1
    }
  }

  /// The places of an interval; nil when it contains nothing.
  private func run(from lower: IntervalBound?, to upper: IntervalBound?) -> Range<Int>? {
    var first = 0
    var last = 2 * ends.count
    if let lower {
      if lower.value.isUnordered { return nil }
      first = place(of: lower.value) + (lower.isInclusive ? 0 : 1)
    }
    if let upper {
      if upper.value.isUnordered { return nil }
      last = place(of: upper.value) - (upper.isInclusive ? 0 : 1)
    }
    return first <= last ? first..<last + 1 : nil
  }

  private func place(of value: QueryValue) -> Int {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].precedes(value) { low = middle + 1 } else { high = middle }
    }
    return low < ends.count && !value.precedes(ends[low]) ? 2 * low + 1 : 2 * low
  }

  /// The intervals that contain the value, each once.
  func forEach(containing value: QueryValue, _ body: (Int32) -> Void) {
    assert(isBuilt)
    if members.isEmpty || value.isUnordered { return }
    var node = place(of: value) + 2 * ends.count + 1
    while node >= 1 {
      for index in Int(starts[node])..<Int(starts[node + 1]) { body(members[index]) }
      node /= 2
    }
  }
}

extension QueryValue {
  /// True of null and NaN, with which every comparison is unknown or false.
  var isUnordered: Bool {
    switch self {
    case .null: true
    case .real(let value): value.isNaN
    case .integer, .unsigned, .text: false
    }
  }

  /// The order of the values of one type, null and NaN left out; text by its UTF-8 bytes.
  func precedes(_ other: QueryValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.unsigned(let left), .unsigned(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    default: false
    }
  }
}

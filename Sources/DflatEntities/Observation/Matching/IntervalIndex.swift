/// An index that finds the intervals containing a value: a segment tree over their ends. Intervals added since it was
/// built are tested one by one, until that has cost as much as a rebuild.
///
///     ends      v0      v1      v2          each end and each gap between two is a leaf: 0 … 2n
///     leaves  0  1   2   3   4   5  6       an interval is a run of leaves, stored at O(log n) nodes of the tree;
///                                           a value is in the intervals stored at its leaf and the nodes above it
///
/// All values of an index have the same type.
struct IntervalIndex {
  private var intervals: [Int32: ValueRange] = [:]
  /// The intervals that are not in the tree. Readable for tests.
  private(set) var fresh: Set<Int32> = []
  /// The intervals in the tree that have been removed or replaced.
  private var stale: Set<Int32> = []
  /// The number of tests of fresh intervals since the tree was built.
  private var spent = 0
  private var ends: [QueryValue] = []
  /// The intervals at node `n` are `members[starts[n]..<starts[n + 1]]`.
  private var starts: [Int32] = []
  private var members: [Int32] = []

  var isEmpty: Bool { intervals.isEmpty }

  mutating func insert(_ number: Int32, _ range: ValueRange) {
    intervals[number] = range
    fresh.insert(number)
  }

  mutating func remove(_ number: Int32) {
    if intervals.removeValue(forKey: number) == nil { return }
    if fresh.remove(number) == nil { stale.insert(number) }
  }

  /// Prepares the index for a number of calls of `forEach`. Rebuilds the tree if that pays off.
  mutating func prepare(forLookUps count: Int) {
    let (cost, overflow) = fresh.count.multipliedReportingOverflow(by: count)
    spent = overflow ? .max : min(spent, .max - cost) + cost
    if spent > intervals.count || stale.count > intervals.count { build() }
  }

  private mutating func build() {
    spent = 0
    fresh = []
    stale = []
    var all: [QueryValue] = []
    for range in intervals.values {
      if let lower = range.lower { all.append(lower.value) }
      if let upper = range.upper { all.append(upper.value) }
    }
    all.sort { $0.isLess(than: $1) }
    ends = []
    for value in all where ends.last.map({ $0.isLess(than: value) }) ?? true { ends.append(value) }
    position()
  }

  private mutating func position() {
    // Cut each interval into the nodes that cover its leaves.
    var runs: [(number: Int32, node: Int)] = []
    let leaves = 2 * ends.count + 1
    for (number, range) in intervals {
      guard let run = run(of: range) else { continue }
      var low = run.lowerBound + leaves
      var high = run.upperBound + leaves
      // Take the nodes at both ends that no higher node covers.
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
    // Sort the intervals by node (counting sort).
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

  /// Returns the leaves of an interval, or nil if it contains nothing.
  private func run(of range: ValueRange) -> Range<Int>? {
    let first = range.lower.map { position(of: $0.value) + ($0.isInclusive ? 0 : 1) } ?? 0
    let last = range.upper.map { position(of: $0.value) - ($0.isInclusive ? 0 : 1) } ?? 2 * ends.count
    return first <= last ? first..<last + 1 : nil
  }

  private func position(of value: QueryValue) -> Int {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].isLess(than: value) { low = middle + 1 } else { high = middle }
    }
    return low < ends.count && !value.isLess(than: ends[low]) ? 2 * low + 1 : 2 * low
  }

  /// Calls `body` once for each interval that contains the value, which is neither null nor NaN.
  func forEach(containing value: QueryValue, _ body: (Int32) -> Void) {
    for number in fresh where intervals[number]?.contains(value) == true { body(number) }
    if members.isEmpty { return }
    var node = position(of: value) + 2 * ends.count + 1
    while node >= 1 {
      for index in Int(starts[node])..<Int(starts[node + 1]) where stale.isEmpty || !stale.contains(members[index]) {
        body(members[index])
      }
      node /= 2
    }
  }
}

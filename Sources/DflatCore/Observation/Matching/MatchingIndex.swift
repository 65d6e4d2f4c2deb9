/// What must be true of a row that a query matches, as far as an index can look it up.
enum MatchCondition: Equatable {
  /// Nothing that an index could tell: every changed row is tried.
  case any
  /// No row matches.
  case none
  case equal(FieldPath, Set<QueryValue>)
  case range(FieldPath, lower: IntervalBound?, upper: IntervalBound?)
}

/// Finds the queries that a row may match, by the values of its fields, without trying each query: equality by hash, ranges
/// by interval. Queries have small numbers, which may be used again.
struct MatchingIndex {
  private struct PathIndex {
    let path: FieldPath
    var equal: [QueryValue: [Int32]] = [:]
    var ranges = IntervalIndex()

    var isEmpty: Bool { equal.isEmpty && ranges.isEmpty }
  }

  private var paths: [PathIndex] = []
  private var conditions: [Int32: MatchCondition] = [:]
  /// The queries that every changed row is tried on.
  private var untold: [Int32] = []

  /// How many queries there are.
  var count: Int { conditions.count }

  /// The queries that have to be tried on every row.
  var scannedCount: Int { untold.count }

  mutating func insert(_ number: Int32, _ condition: MatchCondition) {
    assert(conditions[number] == nil, "The number is in use.")
    conditions[number] = condition
    switch condition {
    case .none: break
    case .any: untold.append(number)
    case .equal(let path, let values):
      let place = place(of: path)
      for value in values where !value.isUnordered { paths[place].equal[value, default: []].append(number) }
    case .range(let path, let lower, let upper):
      paths[place(of: path)].ranges.insert(number, from: lower, to: upper)
    }
  }

  mutating func remove(_ number: Int32) {
    switch conditions.removeValue(forKey: number) {
    case nil, .some(.none): return
    case .any: untold.removeAll { $0 == number }
    case .equal(let path, let values):
      let place = place(of: path)
      for value in values where !value.isUnordered {
        paths[place].equal[value]?.removeAll { $0 == number }
        if paths[place].equal[value]?.isEmpty == true { paths[place].equal[value] = nil }
      }
    case .range(let path, _, _): paths[place(of: path)].ranges.remove(number)
    }
    paths.removeAll { $0.isEmpty }
  }

  private mutating func place(of path: FieldPath) -> Int {
    if let found = paths.firstIndex(where: { $0.path == path }) { return found }
    paths.append(PathIndex(path: path))
    return paths.count - 1
  }

  /// Makes the index ready for `forEachCandidate`.
  mutating func build() {
    for place in paths.indices { paths[place].ranges.build() }
  }

  /// The queries that a row may match, each at least once. `value` is asked once for each path that any query constrains.
  func forEachCandidate(_ value: (FieldPath) throws -> QueryValue, _ body: (Int32) -> Void) rethrows {
    for number in untold { body(number) }
    for index in paths {
      let value = try value(index.path)
      if value.isUnordered { continue }
      if let numbers = index.equal[value] { for number in numbers { body(number) } }
      index.ranges.forEach(containing: value, body)
    }
  }
}

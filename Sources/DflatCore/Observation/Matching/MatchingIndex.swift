/// Finds the queries that a row may match, by the values of its fields, without trying each query: equality by hash, ranges
/// by interval. Queries have small numbers, which may be used again.
struct MatchingIndex {
  /// Not a value: every changed row goes through it, and would copy it.
  private final class PathIndex {
    let path: FieldPath
    let reader: PathReader
    var equal: [QueryValue: NumberSet] = [:]
    var ranges = IntervalIndex()

    init(_ path: FieldPath) {
      self.path = path
      reader = PathReader(path)
    }

    var isEmpty: Bool { equal.isEmpty && ranges.isEmpty }
  }

  private var paths: [PathIndex] = []
  private var conditions: [Int32: MatchCondition] = [:]
  /// The queries that no look-up narrows: every changed row is tried on them. They are no candidates.
  private(set) var unnarrowed = NumberSet()

  mutating func insert(_ number: Int32, _ condition: MatchCondition) {
    assert(conditions[number] == nil, "The number is in use.")
    conditions[number] = condition
    switch condition {
    case .none: break
    case .any: unnarrowed.insert(number)
    case .equal(let path, let values):
      let place = place(of: path)
      for value in values { paths[place].equal[value, default: NumberSet()].insert(number) }
    case .range(let path, let range): paths[place(of: path)].ranges.insert(number, range)
    }
  }

  mutating func remove(_ number: Int32) {
    switch conditions.removeValue(forKey: number) {
    case nil, .some(.none): return
    case .any: unnarrowed.remove(number)
    case .equal(let path, let values):
      let place = place(of: path)
      for value in values {
        paths[place].equal[value]?.remove(number)
        if paths[place].equal[value]?.isEmpty == true { paths[place].equal[value] = nil }
      }
    case .range(let path, _): paths[place(of: path)].ranges.remove(number)
    }
    paths.removeAll { $0.isEmpty }
  }

  /// Whether the query is found by look-ups alone.
  func narrows(_ number: Int32) -> Bool {
    switch conditions[number] {
    case nil, .some(.none), .any: false
    case .equal, .range: true
    }
  }

  private mutating func place(of path: FieldPath) -> Int {
    if let found = paths.firstIndex(where: { $0.path == path }) { return found }
    paths.append(PathIndex(path))
    return paths.count - 1
  }

  /// Makes the index ready for so many calls of `forEachCandidate`.
  func prepare(forRows count: Int) {
    for index in paths { index.ranges.prepare(forLookUps: count) }
  }

  /// The queries that a row may match, each at least once, but for those that no look-up narrows. `value` is asked once for each path that any query constrains.
  func forEachCandidate(_ value: (PathReader, FieldPath) throws -> QueryValue, _ body: (Int32) -> Void) rethrows {
    for index in paths {
      let value = try value(index.reader, index.path)
      if !index.equal.isEmpty, let found = index.equal[value] { for number in found.numbers { body(number) } }
      switch value {
      case .null: continue
      case .real(let real) where real.isNaN: continue
      case .real, .integer, .unsigned, .text: index.ranges.forEach(containing: value, body)
      }
    }
  }
}

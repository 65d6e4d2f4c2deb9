import DflatBuffers

/// An index that finds the queries that a row may match by the values of its fields, without testing each query:
/// equality by hash, ranges by interval. Queries have small numbers, which may be reused.
struct MatchingIndex {
  /// The conditions on one field. A class, because a struct would be copied for every changed row.
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

    /// Calls `body` for each query that the value lets through.
    func find(_ value: QueryValue, _ body: (Int32) -> Void) {
      if !equal.isEmpty, let found = equal[value] { for number in found.numbers { body(number) } }
      // The search copies the struct, so leave out fields without ranges.
      if ranges.isEmpty { return }
      switch value {
      case .null: return
      case .real(let real) where real.isNaN: return
      case .real, .integer, .unsigned, .text: ranges.forEach(containing: value, body)
      }
    }
  }

  private var paths: [PathIndex] = []
  private var conditions: [Int32: MatchCondition] = [:]
  /// The queries that no lookup narrows. They test every changed row, and are never candidates.
  private(set) var unnarrowed = NumberSet()

  mutating func insert(_ number: Int32, _ condition: MatchCondition) {
    assert(conditions[number] == nil, "The number is already in use.")
    conditions[number] = condition
    switch condition {
    case .none: break
    case .any: unnarrowed.insert(number)
    case .equal(let path, let values):
      let position = position(of: path)
      for value in values { paths[position].equal[value, default: NumberSet()].insert(number) }
    case .range(let path, let range): paths[position(of: path)].ranges.insert(number, range)
    }
  }

  mutating func remove(_ number: Int32) {
    switch conditions.removeValue(forKey: number) {
    case nil, .some(.none): return
    case .any: unnarrowed.remove(number)
    case .equal(let path, let values):
      let position = position(of: path)
      for value in values {
        paths[position].equal[value]?.remove(number)
        if paths[position].equal[value]?.isEmpty == true { paths[position].equal[value] = nil }
      }
    case .range(let path, _): paths[position(of: path)].ranges.remove(number)
    }
    paths.removeAll { $0.isEmpty }
  }

  /// Returns true if lookups find the query.
  func narrows(_ number: Int32) -> Bool {
    switch conditions[number] {
    case nil, .some(.none), .any: false
    case .equal, .range: true
    }
  }

  private mutating func position(of path: FieldPath) -> Int {
    if let found = paths.firstIndex(where: { $0.path == path }) { return found }
    paths.append(PathIndex(path))
    return paths.count - 1
  }

  /// Prepares the index for a number of calls of `forEachCandidate`.
  func prepare(forRows count: Int) {
    for index in paths { index.ranges.prepare(forLookUps: count) }
  }

  /// Calls `body` at least once for each query that a row may match, except those that no lookup narrows. Calls `value`
  /// once for each path that a query constrains.
  func forEachCandidate(_ value: (PathReader, FieldPath) throws -> QueryValue, _ body: (Int32) -> Void) rethrows {
    for index in paths { index.find(try value(index.reader, index.path), body) }
  }

  /// Does the same for the old and the new contents of a row. Looks up once what is the same in both, as most values
  /// are.
  func forEachCandidate(
    old: FlatBufferTable, new: FlatBufferTable, _ body: (Int32, _ mayHaveMatched: Bool, _ mayMatch: Bool) -> Void
  ) throws(FlatBufferError) {
    for index in paths {
      let value = try index.reader.value(in: new)
      if index.reader.isSame(in: new, as: old) {
        index.find(value) { body($0, true, true) }
      } else {
        index.find(try index.reader.value(in: old)) { body($0, true, false) }
        index.find(value) { body($0, false, true) }
      }
    }
  }
}

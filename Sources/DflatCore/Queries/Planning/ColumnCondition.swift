/// What a column of stored values holds in the rows that a field's constraint allows.
struct ColumnCondition {
  /// Sorted, so that neighbours are looked up one after the other; where text stands doesn't matter.
  var points: [QueryValue] = []
  var ranges: [ValueRange] = []

  var hasNull: Bool { points.contains(.null) }

  /// The condition on the column that follows those of a search.
  func searches(in outer: QueryPlan.Search) -> [QueryPlan.Search] {
    var searches: [QueryPlan.Search] = []
    func add(_ change: (inout QueryPlan.Search) -> Void) {
      var search = outer
      change(&search)
      searches.append(search)
    }
    let values = hasNull ? points.filter { $0 != .null } : points
    if hasNull { add { $0.values.append(.null) } }
    if values.count == 1 { add { $0.values.append(values[0]) } } else if !values.isEmpty { add { $0.choices = values } }
    for range in ranges { add { $0.range = range } }
    return searches
  }

  /// Columns hold numbers that the enum, or the union, doesn't know, and those count as the default: so where the default
  /// is allowed, all of them are.
  init(_ constraint: FieldConstraint, at path: FieldPath) {
    switch path.leaf {
    case .scalar, .string, .unionString:
      switch constraint {
      case .equal(let values): points = Self.sorted(values)
      case .range(let range): ranges = [range]
      }
    case .enumeration(_, _, let standard, let known): setUp(constraint, default: standard, known: known)
    case .kind(_, let known): setUp(constraint, default: .null, known: known.map { .integer(Int64($0)) })
    }
  }

  private mutating func setUp(_ constraint: FieldConstraint, default standard: QueryValue, known: [QueryValue]) {
    points = known.filter(constraint.contains)
    if constraint.contains(.null) { points.insert(.null, at: 0) }
    guard constraint.contains(standard) else { return }
    var lower: ValueRange.Bound?
    for value in known {
      let bound = ValueRange.Bound(value: value, isInclusive: false)
      if !Self.areNeighbours(lower?.value, value) { ranges.append(ValueRange(lower: lower, upper: bound)) }
      lower = bound
    }
    ranges.append(ValueRange(lower: lower))
  }

  private static func sorted(_ values: Set<QueryValue>) -> [QueryValue] {
    if values.count == 1 { return Array(values) }
    return values.sorted { left, right in
      // Faster than by bytes.
      if case (.text(let left), .text(let right)) = (left, right) { return left < right }
      return left.isLess(than: right)
    }
  }

  private static func areNeighbours(_ left: QueryValue?, _ right: QueryValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < .max && left + 1 == right
    case (.unsigned(let left), .unsigned(let right)): left < .max && left + 1 == right
    default: false
    }
  }
}

extension FieldPath {
  /// Whether a column of the stored values sorts as the values do.
  var sortsAsStored: Bool {
    switch leaf {
    case .scalar, .string, .unionString: true
    case .enumeration, .kind: false
    }
  }
}

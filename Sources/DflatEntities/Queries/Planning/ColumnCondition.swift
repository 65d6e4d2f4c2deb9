/// The values of a column in the rows that a field's constraint allows.
struct ColumnCondition {
  /// Sorted, so that neighboring values are looked up one after the other; texts need not be in byte order.
  var points: [QueryValue] = []
  var ranges: [ValueRange] = []

  var hasNull: Bool { points.contains(.null) }

  /// Returns searches that extend `outer` by this condition on its next column.
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

  /// Columns may store numbers that the enum or union doesn't know, and queries see these as the default (null for a
  /// union). So if the constraint allows the default, all unknown numbers are allowed.
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

  /// Allows the known values that meet the constraint, and the gaps between known values if it allows the default.
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
      // Faster than comparing bytes.
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
  /// The maximum number of an enum's values for which rows are read in its order, with a search for each value.
  private static let maximumOrderedValues = 256

  /// The values that queries see, in ascending order, if columns don't sort like them, and if they are few.
  var orderedValues: [QueryValue]? {
    switch leaf {
    case .scalar, .string, .unionString: nil
    case .enumeration(_, _, _, let known):
      known.count <= Self.maximumOrderedValues ? [QueryValue.null] + known : nil
    case .kind(_, let known): [QueryValue.null] + known.map { QueryValue.integer(Int64($0)) }
    }
  }

  /// The value that queries see for a stored number that the schema doesn't know; nil if there is no such number.
  var valueOfUnknown: QueryValue? {
    switch leaf {
    case .scalar, .string, .unionString: nil
    case .enumeration(_, _, let standard, _): standard
    case .kind: .null
    }
  }

  /// True if a column of the stored values sorts like the values that queries see.
  var sortsAsStored: Bool {
    switch leaf {
    case .scalar, .string, .unionString: true
    case .enumeration, .kind: false
    }
  }
}

import DflatSupport

/// A necessary condition on one field's value, as queries see it (`FieldPath.value`), for a predicate to be true.
package enum FieldConstraint: Hashable, Sendable {
  /// The value is one of these, which may include `null`; never NaN.
  case equal(to: Set<QueryValue>)
  /// The value exists and is in the range. NaN is only in unbounded ranges.
  case range(ValueRange)

  /// The value exists.
  static let notNull = FieldConstraint.range(ValueRange())
}

/// A range of values of a field's type; text is compared by its UTF-8 bytes.
package struct ValueRange: Hashable, Sendable {
  package struct Bound: Hashable, Sendable {
    package let value: QueryValue
    package let isInclusive: Bool

    package init(value: QueryValue, isInclusive: Bool) {
      self.value = value
      self.isInclusive = isInclusive
    }
  }

  /// Nil if the range has no such end.
  package var lower: Bound?
  package var upper: Bound?

  package init(lower: Bound? = nil, upper: Bound? = nil) {
    self.lower = lower
    self.upper = upper
  }

  package var isUnbounded: Bool { lower == nil && upper == nil }

  package func contains(_ value: QueryValue) -> Bool {
    switch value {
    case .null: return false
    case .real(let real) where real.isNaN: return isUnbounded
    default: break
    }
    if let lower {
      if value.isLess(than: lower.value) { return false }
      if !lower.isInclusive, value == lower.value { return false }
    }
    if let upper {
      if upper.value.isLess(than: value) { return false }
      if !upper.isInclusive, value == upper.value { return false }
    }
    return true
  }

  /// The same range; nil if no value can be in it.
  var nonEmpty: ValueRange? {
    guard let lower, let upper else { return self }
    if upper.value.isLess(than: lower.value) { return nil }
    return lower.value == upper.value && !(lower.isInclusive && upper.isInclusive) ? nil : self
  }

  func intersection(_ other: ValueRange) -> ValueRange {
    ValueRange(
      lower: Self.tighter(lower, other.lower) { $1.isLess(than: $0) },
      upper: Self.tighter(upper, other.upper) { $0.isLess(than: $1) })
  }

  /// Returns the smallest range that contains both.
  func hull(_ other: ValueRange) -> ValueRange {
    ValueRange(
      lower: Self.looser(lower, other.lower) { $0.isLess(than: $1) },
      upper: Self.looser(upper, other.upper) { $1.isLess(than: $0) })
  }

  private static func tighter(
    _ first: Bound?, _ second: Bound?, _ isTighter: (QueryValue, QueryValue) -> Bool
  ) -> Bound? {
    guard let first, let second else { return first ?? second }
    if first.value == second.value { return first.isInclusive ? second : first }
    return isTighter(first.value, second.value) ? first : second
  }

  private static func looser(
    _ first: Bound?, _ second: Bound?, _ isLooser: (QueryValue, QueryValue) -> Bool
  ) -> Bound? {
    guard let first, let second else { return nil }
    if first.value == second.value { return first.isInclusive ? first : second }
    return isLooser(first.value, second.value) ? first : second
  }
}

extension QueryValue {
  /// Compares two values of one type: null comes first, then numbers, then NaN; text by its bytes. Returns false for
  /// values of different types.
  package func isLess(than other: QueryValue) -> Bool {
    switch (self, other) {
    case (.null, .null): false
    case (.null, _): true
    case (.integer(let left), .integer(let right)): left < right
    case (.unsigned(let left), .unsigned(let right)): left < right
    case (.real(let left), .real(let right)): left.orderedBits < right.orderedBits
    case (.text(let left), .text(let right)): left.precedesInBytes(right)
    default: false
    }
  }

  var isNaN: Bool {
    if case .real(let value) = self { return value.isNaN }
    return false
  }
}

extension FieldConstraint {
  package func contains(_ value: QueryValue) -> Bool {
    switch self {
    case .equal(let values): values.contains(value)
    case .range(let range): range.contains(value)
    }
  }

  /// Returns the conjunction of both; nil if no value meets it.
  func and(_ other: FieldConstraint) -> FieldConstraint? {
    switch (self, other) {
    case (.equal(let values), _):
      let left = values.filter(other.contains)
      return left.isEmpty ? nil : .equal(to: left)
    case (_, .equal): return other.and(self)
    case (.range(let left), .range(let right)): return left.intersection(right).nonEmpty.map(FieldConstraint.range)
    }
  }

  /// Returns a constraint that holds if one of both does, or nil if there is none. `isExact` is true if it holds only
  /// then.
  func or(_ other: FieldConstraint) -> (constraint: FieldConstraint, isExact: Bool)? {
    switch (self, other) {
    case (.equal(let left), .equal(let right)): return (.equal(to: left.union(right)), true)
    case (.range(let left), .range(let right)):
      let hull = left.hull(right)
      return (.range(hull), hull == left || hull == right)
    case (.equal(let values), .range(let range)):
      guard !values.contains(.null) else { return nil }
      var hull = range
      for value in values {
        let bound = ValueRange.Bound(value: value, isInclusive: true)
        hull = hull.hull(ValueRange(lower: bound, upper: bound))
      }
      return (.range(hull), hull == range)
    case (.range, .equal): return other.or(self)
    }
  }
}

/// The conditions that each field of an object must meet for a predicate to be true. They are used to search the
/// indexes of the file and of observers.
///
///     Post.priority > 3 && (Post.tag == "x" || Post.tag == nil) && Post.title != Post.tag
///
///     fields    priority: range(3 <), tag: equal("x", null)
///     isExact   false: they leave out the last condition
///
/// An object that doesn't meet all of `fields` never matches. One that does may match, and always matches if `isExact`.
package struct QueryConstraints: Sendable {
  /// True if the predicate is true for no object.
  package private(set) var isNever = false
  package private(set) var fields: [FieldPath: FieldConstraint] = [:]
  /// True if the predicate requires no more than `fields` and `isNever`.
  package private(set) var isExact = true

  static let never = QueryConstraints(isNever: true)
  static let nothing = QueryConstraints(isExact: false)
  static let always = QueryConstraints()

  private init(isNever: Bool = false, isExact: Bool = true) {
    self.isNever = isNever
    self.isExact = isExact
  }

  init(_ field: QueryField, _ constraint: FieldConstraint, isExact: Bool = true) {
    if case .equal(let values) = constraint, values.isEmpty { isNever = true } else { fields[field.path] = constraint }
    self.isExact = isExact
  }

  init(_ field: QueryField, _ range: ValueRange) {
    if let range = range.nonEmpty { fields[field.path] = .range(range) } else { isNever = true }
  }

  func and(_ other: QueryConstraints) -> QueryConstraints {
    if isNever || other.isNever { return .never }
    var both = self
    both.isExact = isExact && other.isExact
    for (path, constraint) in other.fields {
      guard let known = both.fields[path] else {
        both.fields[path] = constraint
        continue
      }
      guard let merged = known.and(constraint) else { return .never }
      both.fields[path] = merged
    }
    return both
  }

  func or(_ other: QueryConstraints) -> QueryConstraints {
    if isNever { return other }
    if other.isNever { return self }
    var either = QueryConstraints(isExact: isExact && other.isExact)
    // With several fields, merging each field by itself forgets which values belong together.
    if fields.count != 1 || other.fields.count != 1 || fields.keys != other.fields.keys { either.isExact = false }
    for (path, left) in fields {
      guard let right = other.fields[path], let merged = left.or(right) else {
        either.isExact = false
        continue
      }
      either.fields[path] = merged.constraint
      if !merged.isExact { either.isExact = false }
    }
    return either
  }
}

extension QueryNode {
  /// The conditions that each field must meet for this node to be true.
  package var constraints: QueryConstraints { constraints(isNegated: false) }

  /// Returns the conditions for the node, or its negation, to be true.
  private func constraints(isNegated: Bool) -> QueryConstraints {
    switch self {
    case .constant(let value):
      return value == .integer(isNegated ? 0 : 1) ? .always : .never
    case .field(let field): return QueryConstraints(field, .equal(to: [.integer(isNegated ? 0 : 1)]))
    case .arithmetic: return .never
    case .not(let operand): return operand.constraints(isNegated: !isNegated)
    case .and(let left, let right), .or(let left, let right):
      let (left, right) = (left.constraints(isNegated: isNegated), right.constraints(isNegated: isNegated))
      // By De Morgan's laws, a negated `or` is a conjunction of negations.
      let isConjunction = if case .and = self { !isNegated } else { isNegated }
      return isConjunction ? left.and(right) : left.or(right)
    case .isNull(.field(let field)):
      return isNegated ? QueryConstraints(field, .notNull) : QueryConstraints(field, .equal(to: [.null]))
    case .isNull: return .nothing
    case .isIn(.field(let field), let values):
      if isNegated { return QueryConstraints(field, .notNull, isExact: values.isEmpty) }
      return QueryConstraints(field, .equal(to: values.contains(where: \.isNaN) ? values.filter { !$0.isNaN } : values))
    case .isIn(_, let values): return values.isEmpty && !isNegated ? .never : .nothing
    case .hasPrefix(.field(let field), let prefix):
      if isNegated { return QueryConstraints(field, .notNull, isExact: false) }
      return QueryConstraints(field, ValueRange(prefix: prefix))
    case .hasPrefix: return .nothing
    case .matches(.field(let field), let pattern) where pattern.isEmpty && pattern.place != .whole:
      // Every text has the empty one at its ends.
      return isNegated ? .never : QueryConstraints(field, .notNull)
    // Rows that have a text are not worth a search in an index, because most rows may have one.
    case .matches: return .nothing
    case .search(let match): return match.paths.isEmpty ? .never : .nothing
    case .hasElement(_, let value, _): return value.isNaN && !isNegated ? .never : .nothing
    case .isEmpty: return .nothing
    // Only a comparison of a field with a constant limits the field's values.
    case .comparison(let comparison, .field(let field), .constant(let value)):
      return Self.constraints(comparison, field, value, isFieldRight: false, isNegated: isNegated)
    case .comparison(let comparison, .constant(let value), .field(let field)):
      return Self.constraints(comparison, field, value, isFieldRight: true, isNegated: isNegated)
    case .comparison(_, .constant(.null), _), .comparison(_, _, .constant(.null)): return .never
    case .comparison: return .nothing
    }
  }

  private static func constraints(
    _ comparison: Comparison, _ field: QueryField, _ value: QueryValue, isFieldRight: Bool, isNegated: Bool
  ) -> QueryConstraints {
    if value == .null { return .never }
    let isReal = field.path.type == .float || field.path.type == .double
    switch comparison {
    case .equal, .notEqual:
      let isEqual = (comparison == .equal) != isNegated
      if value.isNaN { return isEqual ? .never : QueryConstraints(field, .notNull) }
      return isEqual
        ? QueryConstraints(field, .equal(to: [value])) : QueryConstraints(field, .notNull, isExact: false)
    case .less, .lessOrEqual:
      if value.isNaN { return isNegated ? QueryConstraints(field, .notNull) : .never }
      // Each comparison with NaN is false, so its negation is true.
      if isNegated, isReal { return QueryConstraints(field, .notNull, isExact: false) }
      // not (field < value) means value <= field.
      let isLower = isFieldRight != isNegated
      let isInclusive = (comparison == .lessOrEqual) != isNegated
      let bound = ValueRange.Bound(value: value, isInclusive: isInclusive)
      return QueryConstraints(field, isLower ? ValueRange(lower: bound) : ValueRange(upper: bound))
    }
  }
}

extension ValueRange {
  /// Creates the range of the texts that begin with a prefix.
  init(prefix: String) {
    if prefix.isEmpty { return }
    lower = Bound(value: .text(prefix), isInclusive: true)
    upper = Self.following(prefix).map { Bound(value: .text($0), isInclusive: false) }
  }

  /// Returns the first text, by bytes, after all that begin with a prefix: the prefix with its last scalar incremented.
  /// Nil if there is none.
  private static func following(_ prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      // Skip the surrogates, which UTF-8 doesn't encode.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var text = String.UnicodeScalarView(scalars)
      text.append(scalar)
      return String(text)
    }
    return nil
  }
}

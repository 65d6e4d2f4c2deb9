/// What must be true of a row that a query matches, as far as one look-up can tell.
enum MatchCondition: Equatable {
  /// Nothing that an index could tell: every changed row is tried.
  case any
  /// No row matches.
  case none
  case equal(FieldPath, Set<QueryValue>)
  /// With at least one end.
  case range(FieldPath, ValueRange)

  /// The condition that lets the fewest rows through, as far as that can be guessed: few values before many, those before
  /// ranges, ranges with two ends before others.
  init(_ constraints: QueryConstraints) {
    if constraints.isNever {
      self = .none
      return
    }
    self = .any
    var best = Int.max
    for (path, constraint) in constraints.fields {
      let (candidate, rank): (MatchCondition, Int)
      switch constraint {
      case .equal(let values): (candidate, rank) = (.equal(path, values), values.count)
      case .range(let range) where range.isUnbounded: continue
      case .range(let range):
        (candidate, rank) = (.range(path, range), range.lower == nil || range.upper == nil ? .max - 1 : .max - 2)
      }
      if rank < best { (self, best) = (candidate, rank) }
    }
  }
}

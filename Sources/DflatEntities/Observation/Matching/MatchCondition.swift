/// A necessary condition for a row to match a query, which one lookup can test.
enum MatchCondition: Equatable {
  /// No such condition: every changed row is tested.
  case any
  /// No row matches.
  case none
  case equal(FieldPath, Set<QueryValue>)
  /// A range with at least one end.
  case range(FieldPath, ValueRange)

  /// Chooses the condition that probably lets the fewest rows through: few values before many, values before ranges,
  /// ranges with two ends before those with one.
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

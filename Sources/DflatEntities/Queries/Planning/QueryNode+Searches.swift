extension QueryNode {
  /// The full-text searches that must all match.
  var searches: [SearchMatch] {
    conjuncts.compactMap { if case .search(let match) = $0 { match } else { nil } }
  }

  /// True if the node contains a full-text search.
  var hasSearch: Bool {
    switch self {
    case .search: true
    case .constant, .field, .hasElement, .isEmpty: false
    case .arithmetic(_, let left, let right, _), .comparison(_, let left, let right), .and(let left, let right),
      .or(let left, let right):
      left.hasSearch || right.hasSearch
    case .not(let operand), .isNull(let operand), .isIn(let operand, _), .hasPrefix(let operand, _),
      .matches(let operand, _):
      operand.hasSearch
    }
  }

  /// Returns the node without some of the searches that must all match; nil if nothing else is left.
  func without(_ matches: [SearchMatch]) -> QueryNode? {
    if matches.isEmpty { return self }
    let rest = conjuncts.filter { condition in
      if case .search(let match) = condition { return !matches.contains(match) }
      return true
    }
    guard let first = rest.first else { return nil }
    return rest.dropFirst().reduce(first) { .and($0, $1) }
  }
}

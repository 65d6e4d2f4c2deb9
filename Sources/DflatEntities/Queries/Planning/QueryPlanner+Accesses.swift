/// Searches for the rows that meet a predicate's conditions.
extension QueryPlanner {
  struct Access {
    var searches: [QueryPlan.Search]
    /// The fields whose constraints the searches ensure.
    var fields: Set<FieldPath>
    var cost: Int
    /// The full-text searches that the searches ensure.
    var matches: [SearchMatch] = []

    /// Returns true if this access is assumed to find fewer rows than another one: it costs less, or as much with
    /// conditions on more fields.
    func isBetter(than other: Access?) -> Bool {
      guard let other else { return true }
      return cost == other.cost ? fields.count > other.fields.count : cost < other.cost
    }
  }

  /// The number of rows that an access is assumed to find.
  enum Cost {
    static let row = 1
    static let value = 20
    static let text = 200
    static let null = 5_000
    static let closedRange = 2_000
    static let openRange = 50_000
    static let notNull = 200_000
    static let all = 500_000

    static func of(_ range: ValueRange?) -> Int {
      guard let range else { return all }
      if range.isUnbounded { return notNull }
      return range.lower == nil || range.upper == nil ? openRange : closedRange
    }
  }

  /// Returns the cheapest of the searches by primary key, by an index, by the full-text index, or by the alternatives
  /// of an OR.
  mutating func access(for node: QueryNode?, _ constraints: QueryConstraints) throws -> Access? {
    var best = access(by: .key, entity.primaryKey, constraints)
    for path in constraints.fields.keys {
      guard let found = try indexAccess(by: path, constraints) else { continue }
      if found.isBetter(than: best) { best = found }
    }
    if let found = textAccess(for: node), found.isBetter(than: best) { best = found }
    for choice in node?.conjuncts ?? [] {
      guard case .or = choice, let found = try unionAccess(choice.disjuncts) else { continue }
      if found.isBetter(than: best) { best = found }
    }
    return best
  }

  /// Returns searches in the best index of each alternative, or nil unless each has one. Doesn't ensure the
  /// alternatives, so they must be evaluated.
  private mutating func unionAccess(_ alternatives: [QueryNode]) throws -> Access? {
    var union = Access(searches: [], fields: [], cost: 0)
    for alternative in alternatives {
      let constraints = alternative.constraints
      if constraints.isNever { continue }
      guard let found = try access(for: alternative, constraints) else { return nil }
      union.searches += found.searches
      union.cost += found.cost
    }
    return union.searches.isEmpty ? nil : union
  }

  /// Returns one search for all conditions that the full-text index answers.
  private func textAccess(for node: QueryNode?) -> Access? {
    guard let search, let node else { return nil }
    let matches = node.searches.filter { search.contains($0.paths) }
    if matches.isEmpty { return nil }
    let source = QueryPlan.Source.text(IndexedSearch(fields: search, matches: matches))
    return Access(searches: [QueryPlan.Search(source: source)], fields: [], cost: Cost.text, matches: matches)
  }

  /// Returns searches by the best of the indexes that begin with a field.
  private mutating func indexAccess(by path: FieldPath, _ constraints: QueryConstraints) throws -> Access? {
    var best: Access?
    for index in entity.indexes where index.path == path {
      guard let found = access(by: .index(index), index.fields, constraints), found.isBetter(than: best) else {
        continue
      }
      if try isUsable(index) { best = found }
    }
    return best
  }

  /// Returns searches by the first fields of a source.
  private func access(
    by source: QueryPlan.Source, _ fields: [EntityField], _ constraints: QueryConstraints
  ) -> Access? {
    var access = Access(searches: [QueryPlan.Search(source: source)], fields: [], cost: 0)
    for field in fields {
      guard let constraint = constraints.fields[field.path] else { break }
      let condition = ColumnCondition(constraint, at: field.path)
      if !access.fields.isEmpty {
        // Look up each combination of several fields' values, as long as there are few.
        let combinations = access.searches.reduce(0) { $0 + ($1.choices?.count ?? 1) } * max(condition.points.count, 1)
        if combinations > 1000 { break }
        access.searches = access.searches.flatMap { $0.single }
      }
      access.fields.insert(field.path)
      access.searches = access.searches.flatMap { condition.searches(in: $0) }
      if !condition.ranges.isEmpty { break }
    }
    if access.fields.isEmpty { return nil }
    access.cost = cost(of: access.searches)
    return access
  }

  /// Returns the number of rows that searches are assumed to find.
  func cost(of searches: [QueryPlan.Search]) -> Int {
    min(searches.reduce(0) { $0 + cost(of: $1) }, Cost.all - 1)
  }

  private func cost(of search: QueryPlan.Search) -> Int {
    // Any number of rows may have no value.
    if search.choices == nil, !search.values.isEmpty, search.values.allSatisfy({ $0 == .null }) { return Cost.null }
    if let range = search.range { return search.values.isEmpty ? Cost.of(range) : Cost.value }
    let columns = search.values.count + (search.choices == nil ? 0 : 1)
    let isRow = search.source.findsOneRow(byColumns: columns, in: entity) && !search.values.contains(.null)
    return (isRow ? Cost.row : Cost.value) * (search.choices?.count ?? 1)
  }
}

extension QueryPlan.Source {
  /// Returns true if values of the first columns, none of them null, find one row at most.
  func findsOneRow(byColumns count: Int, in entity: EntityDescription) -> Bool {
    switch self {
    case .key: count == entity.primaryKey.count
    case .index(let index): index.isUnique && count == index.fields.count
    case .text: false
    }
  }
}

extension QueryNode {
  /// The conditions that must all hold.
  var conjuncts: [QueryNode] {
    if case .and(let left, let right) = self { return left.conjuncts + right.conjuncts }
    return [self]
  }

  /// The conditions of which one must hold.
  fileprivate var disjuncts: [QueryNode] {
    if case .or(let left, let right) = self { return left.disjuncts + right.disjuncts }
    return [self]
  }
}

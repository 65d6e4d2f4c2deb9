/// Plans how to find a query's rows. Pure: closures tell which indexes are complete, the size of the table, and what a
/// search finds.
///
/// There are no statistics. The planner assumes that a primary key finds one row, a value few rows, a range more, and a
/// scan the most. Only a limited query counts, up to a number, what its searches find before it prefers them to reading
/// rows in order until the limit is reached.
package struct QueryPlanner {
  private let entity: EntityDescription
  /// The number of first rows in the requested order that the query needs; nil for all.
  private let limit: Int?
  /// The type's full-text index, if it has every row.
  private let search: SearchFields?
  private let isComplete: (EntityIndex) throws -> Bool
  private let count: (QueryPlan.Search, _ most: Int) throws -> Int
  private let size: () throws -> Int
  private var wanted: [EntityIndex] = []
  private var known: [EntityIndex: Bool] = [:]

  /// Returns the plan of a query.
  ///
  /// - Parameters:
  ///   - predicate: The predicate; nil for all rows.
  ///   - orders: The requested order.
  ///   - limit: The number of first rows in that order that the query needs, skipped ones included; nil for all.
  ///   - entity: The type of the objects.
  ///   - search: The type's full-text index, if it has every row.
  ///   - isComplete: Returns true if an index has every row.
  ///   - count: Returns the number of rows that a search finds, or `most` if it is larger.
  ///   - size: Returns the number of rows in the table, or a larger number.
  package static func plan(
    _ predicate: QueryNode?, orderedBy orders: [QueryOrder] = [], limit: Int? = nil, for entity: EntityDescription,
    search: SearchFields? = nil, isComplete: (EntityIndex) throws -> Bool,
    count: (QueryPlan.Search, _ most: Int) throws -> Int = { _, _ in 0 },
    size: () throws -> Int = { 0 }
  ) throws -> QueryPlan {
    if let plan = rowByKey(predicate, for: entity) { return plan }
    return try withoutActuallyEscaping(isComplete) { isComplete in
      try withoutActuallyEscaping(count) { count in
        try withoutActuallyEscaping(size) { size in
          var planner = QueryPlanner(
            entity: entity, limit: limit, search: search, isComplete: isComplete, count: count, size: size)
          return try planner.plan(predicate, orderedBy: orders)
        }
      }
    }
  }

  private init(
    entity: EntityDescription, limit: Int?, search: SearchFields?, isComplete: @escaping (EntityIndex) throws -> Bool,
    count: @escaping (QueryPlan.Search, _ most: Int) throws -> Int, size: @escaping () throws -> Int
  ) {
    self.entity = entity
    self.limit = limit
    self.search = search
    self.isComplete = isComplete
    self.count = count
    self.size = size
  }

  /// Returns the plan for the most frequent query, equality with the primary key, without further analysis. It finds at
  /// most one row, so the order doesn't matter.
  private static func rowByKey(_ predicate: QueryNode?, for entity: EntityDescription) -> QueryPlan? {
    guard
      case .comparison(.equal, .field(let field), .constant(let value))? = predicate, entity.primaryKey.count == 1,
      field.keyPosition == 0, field.path.sortsAsStored, value != .null, !value.isNaN
    else { return nil }
    return QueryPlan(rows: .row(key: [value]), residual: nil, sorting: [], wanted: [])
  }

  private mutating func plan(_ predicate: QueryNode?, orderedBy orders: [QueryOrder]) throws -> QueryPlan {
    let constraints = predicate?.constraints ?? .always
    if constraints.isNever { return QueryPlan(rows: .none, residual: nil, sorting: [], wanted: []) }
    // A field with only one possible value doesn't affect the order.
    let orders = orders.filter { $0.isRelevance || !constraints.fixes($0.field.path) }
    let access = try access(for: predicate, constraints)
    let isCovered = constraints.isExact && constraints.fields.keys.allSatisfy { access?.fields.contains($0) ?? false }
    // The access has answered its own full-text searches exactly.
    let residual: QueryNode? = isCovered ? nil : predicate?.without(access?.matches ?? [])
    // Prefer rows that come in the requested order, unless the predicate finds far fewer. Rows that come in the first
    // of several orders help if reading stops at a limit.
    let isOnly = orders.count == 1
    if let order = orders.first, isOnly || limit != nil,
      let ordered = try rows(in: order, isOnly: isOnly, access, constraints)
    {
      var fallback: QueryPlan.Fallback?
      if let candidates = ordered.candidates, let access {
        // Evaluate the predicate there, too, so that both leave out the same damaged rows.
        fallback = QueryPlan.Fallback(
          candidates: candidates, rows: rows(of: access), residual: predicate, sorting: orders)
      }
      // Evaluate the conditions that the order's source doesn't answer.
      let isCovered = constraints.isExact && constraints.fields.keys.allSatisfy { $0 == order.field.path }
      return QueryPlan(
        rows: ordered.rows, residual: isCovered ? nil : predicate, sorting: isOnly ? [] : orders,
        isSortedByFirst: !isOnly, wanted: wanted, fallback: fallback)
    }
    return QueryPlan(rows: access.map(rows) ?? .scan, residual: residual, sorting: orders, wanted: wanted)
  }

  private func rows(of access: Access) -> QueryPlan.Rows {
    if access.searches.count == 1, let search = access.searches.first, search.isSingle {
      switch search.source {
      case .key where search.values.count == entity.primaryKey.count && !search.values.contains(.null):
        return .row(key: search.values)
      case .index(let index): return .equal(index, search.values[0])
      case .key, .text: break
      }
    }
    return .found(access.searches)
  }

  // MARK: Orders

  /// Returns the rows in the order of an index or of the primary key's first field. Returns nil if there is none, or if
  /// the predicate finds far fewer rows.
  ///
  /// `candidates` is the number of rows to read in this order before the access is used instead; nil for no limit.
  ///
  /// - Parameter isOnly: False if more orders follow.
  private mutating func rows(
    in order: QueryOrder, isOnly: Bool, _ access: Access?, _ constraints: QueryConstraints
  ) throws -> (rows: QueryPlan.Rows, candidates: Int?)? {
    if order.ranks != nil || order.isRelevance { return nil }
    let path = order.field.path
    let constraint = constraints.fields[path]
    let rows: QueryPlan.Rows
    let cost: Int
    if let values = path.orderedValues {
      guard let index = try index(over: path) else { return nil }
      rows = .grouped(index, groups(order.isDescending ? values.reversed() : values, constraint, in: index))
      cost = constraint.map { self.access(by: index, $0).cost } ?? Cost.all
    } else {
      guard path.sortsAsStored, let source = try source(sortedBy: path) else { return nil }
      var range: ValueRange?
      switch constraint {
      case .range(let found)?: range = found
      case .equal?: return nil
      case nil: break
      }
      rows = .ordered(source, range, isDescending: order.isDescending)
      cost = Cost.of(range)
    }
    guard let access, access.cost < cost else { return (rows, nil) }
    // The access finds as many rows as match only if the access and the range of the order decide the predicate.
    let isCovered =
      constraints.isExact && constraints.fields.keys.allSatisfy { $0 == path || access.fields.contains($0) }
    guard isOnly, isCovered, let candidates = try candidates(in: rows, insteadOf: access) else { return nil }
    return (rows, candidates)
  }

  /// Returns a group of searches for each of the values that meet the constraint.
  private func groups(
    _ values: [QueryValue], _ constraint: FieldConstraint?, in index: EntityIndex
  ) -> [[QueryPlan.Search]] {
    let standard = index.path.valueOfUnknown
    return values.filter { constraint?.contains($0) ?? true }.map { value in
      value == standard
        ? ColumnCondition(.equal(to: [value]), at: index.path).searches(in: QueryPlan.Search(source: .index(index)))
        : [QueryPlan.Search(source: .index(index), values: [value])]
    }
  }

  private mutating func source(sortedBy path: FieldPath) throws -> QueryPlan.Source? {
    // In the order of the first of several fields, each row is looked up by itself. For all rows, that is slower than
    // scanning and sorting them.
    if entity.primaryKey[0].path == path, entity.primaryKey.count == 1 || limit != nil { return .key }
    return try index(over: path).map(QueryPlan.Source.index)
  }

  private mutating func index(over path: FieldPath) throws -> EntityIndex? {
    guard let index = entity.indexes.first(where: { $0.path == path }), try isUsable(index) else { return nil }
    return index
  }

  /// Returns the number of rows that a limited query reads in order before it uses the access; nil if it is better to
  /// use the access at once.
  ///
  /// Of `all` rows, the access finds `n`. If these are anywhere in the order, a match is expected every `all / n` rows.
  /// So the query reads `limit * all / n` of them, which is less than `n` if `n` is more than `√(limit * all)`. As the
  /// matches may all be at the end, the query gives up after a few times that number, and has then read no more than a
  /// few times as many rows as the access finds.
  private func candidates(in rows: QueryPlan.Rows, insteadOf access: Access) throws -> Int? {
    guard let limit else { return nil }
    // SQLite sorts all rows with the same value, of which there may be any number.
    if case .ordered(.key, _, _) = rows, entity.primaryKey.count > 1 { return nil }
    // The table of a damaged file may seem to have any size.
    let all = max(try size(), 1)
    let many = Int(min((Double(limit) * Double(all)).squareRoot(), 1e15)) + 1
    guard try finds(many, by: access.searches) else { return nil }
    // Rows with unknown numbers are collected before the first of them is read.
    if case .grouped(_, let groups) = rows, try finds(many, by: groups.joined().filter { !$0.isSingle }) { return nil }
    return Self.patience * many
  }

  private static let patience = 4

  /// Returns true if searches find at least `many` rows.
  private func finds(_ many: Int, by searches: [QueryPlan.Search]) throws -> Bool {
    var found = 0
    for search in searches where found < many { found += try count(search, many - found) }
    return found >= many
  }

  // MARK: Predicates

  private struct Access {
    var searches: [QueryPlan.Search]
    /// The fields whose constraints the searches ensure.
    var fields: Set<FieldPath>
    var cost: Int
    /// The full-text searches that the searches ensure.
    var matches: [SearchMatch] = []
  }

  /// The number of rows that an access is assumed to find.
  private enum Cost {
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

  /// Returns the cheapest of the searches by primary key, by an index of one field, by the full-text index, or by the
  /// alternatives of an OR.
  private mutating func access(for node: QueryNode?, _ constraints: QueryConstraints) throws -> Access? {
    var best = keyAccess(constraints)
    for (path, constraint) in constraints.fields {
      guard let index = try index(over: path) else { continue }
      let found = access(by: index, constraint)
      if found.cost < best?.cost ?? .max { best = found }
    }
    if let found = textAccess(for: node), found.cost < best?.cost ?? .max { best = found }
    for choice in node?.conjuncts ?? [] {
      guard case .or = choice, let found = try unionAccess(choice.disjuncts) else { continue }
      if found.cost < best?.cost ?? .max { best = found }
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

  private func access(by index: EntityIndex, _ constraint: FieldConstraint) -> Access {
    let condition = ColumnCondition(constraint, at: index.path)
    var cost = condition.ranges.reduce(0) { $0 + Cost.of($1) }
    cost += condition.points.count * (index.isUnique ? Cost.row : Cost.value)
    if condition.hasNull { cost += Cost.null }
    return Access(
      searches: condition.searches(in: QueryPlan.Search(source: .index(index))), fields: [index.path],
      cost: min(cost, Cost.all - 1))
  }

  /// Returns searches by the first fields of the primary key.
  private func keyAccess(_ constraints: QueryConstraints) -> Access? {
    var access = Access(searches: [QueryPlan.Search(source: .key)], fields: [], cost: 0)
    for field in entity.primaryKey {
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
    // Estimate the number of rows found.
    if access.fields.isEmpty { return nil }
    for search in access.searches {
      let columns = search.values.count + (search.choices == nil ? 0 : 1)
      access.cost +=
        search.range.map { search.values.isEmpty ? Cost.of($0) : Cost.value }
        ?? (columns == entity.primaryKey.count ? Cost.row : Cost.value) * (search.choices?.count ?? 1)
    }
    access.cost = min(access.cost, Cost.all - 1)
    return access
  }

  private mutating func isUsable(_ index: EntityIndex) throws -> Bool {
    if let found = known[index] { return found }
    let found = try isComplete(index)
    known[index] = found
    if !found { wanted.append(index) }
    return found
  }
}

extension QueryConstraints {
  /// True if all matches have the same value in a field.
  fileprivate func fixes(_ path: FieldPath) -> Bool {
    if case .equal(let values)? = fields[path] { return values.count == 1 }
    return false
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

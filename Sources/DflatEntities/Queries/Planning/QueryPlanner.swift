/// Plans how to find a query's rows. Pure: closures return which indexes are complete, the size of the table, and what
/// a search finds.
///
/// There are no statistics. The planner assumes that a primary key finds one row, a value few rows, a range more, and a
/// scan the most. Only a limited query counts, up to a number, what its searches find before it prefers them to reading
/// rows in order until the limit is reached.
package struct QueryPlanner {
  let entity: EntityDescription
  /// The number of first rows in the requested order that the query needs; nil for all.
  let limit: Int?
  /// The type's full-text index, if it has every row.
  let search: SearchFields?
  private let isComplete: (EntityIndex) throws -> Bool
  let count: (QueryPlan.Search, _ most: Int) throws -> Int
  let size: () throws -> Int
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
    count: (QueryPlan.Search, _ most: Int) throws -> Int = { _, _ in 0 }, size: () throws -> Int = { 0 }
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
  static func rowByKey(_ predicate: QueryNode?, for entity: EntityDescription) -> QueryPlan? {
    key(in: predicate, for: entity).map {
      QueryPlan(rows: .row(key: [$0]), residual: nil, sorting: [], wanted: [])
    }
  }

  /// Returns the primary key if it consists of one field, and the predicate asks for nothing but a value of it.
  static func key(in predicate: QueryNode?, for entity: EntityDescription) -> QueryValue? {
    guard
      case .comparison(.equal, .field(let field), .constant(let value))? = predicate, entity.primaryKey.count == 1,
      field.keyPosition == 0, field.path.sortsAsStored, value != .null, !value.isNaN
    else { return nil }
    return value
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
    if let order = orders.first, let ordered = try rows(in: orders, access, constraints) {
      var fallback: QueryPlan.Fallback?
      if let candidates = ordered.candidates, let access {
        // Evaluate the predicate there, too, so that both leave out the same damaged rows.
        fallback = QueryPlan.Fallback(
          candidates: candidates, rows: rows(of: access), residual: predicate, sorting: orders)
      }
      // Evaluate the conditions that the order's source doesn't answer.
      let isCovered =
        constraints.isExact
        && constraints.fields.keys.allSatisfy { $0 == order.field.path || ordered.fixed.contains($0) }
      return QueryPlan(
        rows: ordered.rows, residual: isCovered ? nil : predicate, sorting: ordered.isComplete ? [] : orders,
        isSortedByFirst: !ordered.isComplete, wanted: wanted, fallback: fallback)
    }
    return QueryPlan(rows: access.map(rows) ?? .scan, residual: residual, sorting: orders, wanted: wanted)
  }

  private func rows(of access: Access) -> QueryPlan.Rows {
    if access.searches.count == 1, let search = access.searches.first, search.isSingle {
      switch search.source {
      case .key where search.values.count == entity.primaryKey.count && !search.values.contains(.null):
        return .row(key: search.values)
      case .index(let index) where search.values.count == index.fields.count: return .equal(index, search.values)
      case .key, .index, .text: break
      }
    }
    return .found(access.searches)
  }

  /// Returns true if an index is complete. Notes one that isn't.
  mutating func isUsable(_ index: EntityIndex) throws -> Bool {
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

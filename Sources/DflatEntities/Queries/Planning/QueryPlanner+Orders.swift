/// Reading rows in the requested order.
extension QueryPlanner {
  /// The rows in an order.
  struct OrderedRows {
    let rows: QueryPlan.Rows
    /// True if the rows come in all of the requested orders, false if only in the first one.
    let isComplete: Bool
    /// The number of rows to read in this order before the access is used instead; nil for no limit.
    let candidates: Int?
    /// The other fields whose conditions the rows meet.
    let fixed: ArraySlice<FieldPath>
  }

  /// The columns of a source that have one or several orders, after columns with one value each.
  private struct OrderColumn {
    /// The search for these values.
    var search: QueryPlan.Search
    /// The paths of these columns.
    let fixed: ArraySlice<FieldPath>
    /// The number of columns that have orders.
    let count: Int
    /// True if the source has no other columns, so that rows that are equal in all orders come by rowid.
    let isLast: Bool
  }

  /// Returns the rows in the first of the orders, or in all of them, which has to be that of a field of an index or of
  /// the primary key, and the fields before it have to have one value each. Returns nil if there is none, or if the
  /// predicate finds far fewer rows.
  mutating func rows(
    in orders: [QueryOrder], _ access: Access?, _ constraints: QueryConstraints
  ) throws -> OrderedRows? {
    guard let order = orders.first, order.ranks == nil, !order.isRelevance else { return nil }
    let path = order.field.path
    let constraint = constraints.fields[path]
    let rows: QueryPlan.Rows
    var cost: Int
    let column: OrderColumn
    // A field with few possible values is read value by value; any other in the order of its column.
    if let all = path.orderedValues {
      guard let found = try orderColumn(of: orders, withKey: false, constraints) else { return nil }
      column = found
      let values = order.isDescending ? all.reversed() : all
      rows = .grouped(found.search.source, groups(values, constraint, at: path, in: found.search))
      cost = constraint.map { self.cost(of: ColumnCondition($0, at: path).searches(in: found.search)) } ?? Cost.all
    } else {
      if case .equal? = constraint { return nil }
      guard path.sortsAsStored, let found = try orderColumn(of: orders, withKey: true, constraints) else { return nil }
      column = found
      var search = found.search
      if case .range(let range)? = constraint { search.range = range }
      rows = .ordered(search, isDescending: order.isDescending, columns: found.count)
      cost = Cost.of(search.range)
    }
    if !column.fixed.isEmpty { cost = self.cost(of: [column.search]) }
    // Take this source unless the predicate has a better one.
    let isComplete = column.count == orders.count
    guard let access, isPreferred(access, to: column, path, cost: cost) else {
      return OrderedRows(rows: rows, isComplete: isComplete, candidates: nil, fixed: column.fixed)
    }
    // The number of rows that the access finds is that of the matches only if the access and the order's source decide
    // the predicate.
    let isCovered =
      constraints.isExact
      && constraints.fields.keys.allSatisfy { $0 == path || access.fields.contains($0) || column.fixed.contains($0) }
    guard isComplete, isCovered, let candidates = try candidates(in: rows, column, insteadOf: access) else {
      return nil
    }
    return OrderedRows(rows: rows, isComplete: true, candidates: candidates, fixed: column.fixed)
  }

  /// Returns true if an access is assumed to find fewer rows than the columns before that of an order: it costs less,
  /// or as much with conditions on more fields.
  private func isPreferred(
    _ access: Access, to column: OrderColumn, _ path: FieldPath, cost: Int
  ) -> Bool {
    if access.cost != cost { return access.cost < cost }
    return !column.fixed.isEmpty && access.fields.contains { $0 != path && !column.fixed.contains($0) }
  }

  /// Returns a group of searches for each of the values that meet the constraint on the column after those of `search`.
  private func groups(
    _ values: [QueryValue], _ constraint: FieldConstraint?, at path: FieldPath, in search: QueryPlan.Search
  ) -> [[QueryPlan.Search]] {
    let standard = path.valueOfUnknown
    return values.filter { constraint?.contains($0) ?? true }.map { value in
      value == standard ? ColumnCondition(.equal(to: [value]), at: path).searches(in: search) : [search.with(value)]
    }
  }

  /// Returns the columns that have the first of the orders, or all of them, in the source in which they follow the most
  /// columns; if there are several, in one that has all orders, and in which no column follows.
  ///
  /// - Parameter withKey: False if the primary key can't be the source.
  private mutating func orderColumn(
    of orders: [QueryOrder], withKey: Bool, _ constraints: QueryConstraints
  ) throws -> OrderColumn? {
    let path = orders[0].field.path
    var best: OrderColumn?
    /// If other columns follow, each row is looked up by itself. For all rows, that is slower than scanning and sorting
    /// them.
    func isBetter(_ found: OrderColumn) -> Bool {
      guard found.isLast && found.count == orders.count || limit != nil else { return false }
      guard let best else { return true }
      if best.fixed.count != found.fixed.count { return best.fixed.count < found.fixed.count }
      if best.count != found.count { return best.count < found.count }
      return found.isLast && !best.isLast
    }
    if withKey, let found = orderColumn(of: orders, in: .key, entity.primaryKey, constraints), isBetter(found) {
      best = found
    }
    for index in entity.indexes where index.fields.contains(where: { $0.path == path }) {
      guard let found = orderColumn(of: orders, in: .index(index), index.fields, constraints), isBetter(found) else {
        continue
      }
      if try isUsable(index) { best = found }
    }
    return best
  }

  /// Returns the columns of orders in a source; nil if the predicate doesn't fix the value of each column before them.
  private func orderColumn(
    of orders: [QueryOrder], in source: QueryPlan.Source, _ fields: [EntityField], _ constraints: QueryConstraints
  ) -> OrderColumn? {
    guard let place = fields.firstIndex(where: { $0.path == orders[0].field.path }) else { return nil }
    var search = QueryPlan.Search(source: source)
    for field in fields[..<place] {
      guard let constraint = constraints.fields[field.path] else { return nil }
      let condition = ColumnCondition(constraint, at: field.path)
      guard condition.points.count == 1, condition.ranges.isEmpty else { return nil }
      search.values.append(condition.points[0])
    }
    // The following columns sort as stored, in the same direction.
    let hasAll =
      orders.count <= fields.count - place
      && zip(orders, fields[place...]).allSatisfy { order, field in
        order.field.path == field.path && order.isDescending == orders[0].isDescending && order.ranks == nil
          && !order.isRelevance && field.path.sortsAsStored
      }
    let count = hasAll ? orders.count : 1
    return OrderColumn(
      search: search, fixed: fields[..<place].map(\.path)[...], count: count, isLast: place + count == fields.count)
  }

  /// Returns the number of rows that a limited query reads in order before it uses the access; nil if it is better to
  /// use the access at once.
  ///
  /// Of `all` rows, the access finds `n`. If these are anywhere in the order, a match is expected every `all / n` rows.
  /// So the query reads `limit * all / n` of them, which is less than `n` if `n` is more than `√(limit * all)`. As the
  /// matches may all be at the end, the query gives up after a few times that number, and has then read no more than a
  /// few times as many rows as the access finds.
  private func candidates(
    in rows: QueryPlan.Rows, _ column: OrderColumn, insteadOf access: Access
  ) throws -> Int? {
    guard let limit else { return nil }
    // SQLite sorts all rows with the same value or values, of which there may be any number.
    if !column.isLast || column.count > 1 { return nil }
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
}

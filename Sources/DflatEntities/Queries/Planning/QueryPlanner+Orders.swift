/// Reading rows in the requested order.
extension QueryPlanner {
  /// The rows in an order.
  struct OrderedRows {
    let rows: QueryPlan.Rows
    /// The number of rows to read in this order before the access is used instead; nil for no limit.
    let candidates: Int?
    /// The other fields whose conditions the rows meet.
    let fixed: ArraySlice<FieldPath>
  }

  /// The column of a source that has an order, after columns with one value each.
  private struct OrderColumn {
    /// The search for these values.
    var search: QueryPlan.Search
    /// The paths of these columns.
    let fixed: ArraySlice<FieldPath>
    /// True if the order's column is the source's last one, so that rows with the same value come by rowid.
    let isLast: Bool
  }

  /// Returns the rows in the order of a field of an index or of the primary key, if the fields before it have one value
  /// each. Returns nil if there is none, or if the predicate finds far fewer rows.
  ///
  /// - Parameter isOnly: False if more orders follow.
  mutating func rows(
    in order: QueryOrder, isOnly: Bool, _ access: Access?, _ constraints: QueryConstraints
  ) throws -> OrderedRows? {
    if order.ranks != nil { return nil }
    let path = order.field.path
    let constraint = constraints.fields[path]
    let rows: QueryPlan.Rows
    var cost: Int
    let column: OrderColumn
    if let all = path.orderedValues {
      guard let found = try orderColumn(of: path, withKey: false, constraints) else { return nil }
      column = found
      let values = order.isDescending ? all.reversed() : all
      rows = .grouped(found.search.source, groups(values, constraint, at: path, in: found.search))
      cost = constraint.map { self.cost(of: ColumnCondition($0, at: path).searches(in: found.search)) } ?? Cost.all
    } else {
      if case .equal? = constraint { return nil }
      guard path.sortsAsStored, let found = try orderColumn(of: path, withKey: true, constraints) else { return nil }
      column = found
      var search = found.search
      if case .range(let range)? = constraint { search.range = range }
      rows = .ordered(search, isDescending: order.isDescending)
      cost = Cost.of(search.range)
    }
    if !column.fixed.isEmpty { cost = self.cost(of: [column.search]) }
    guard let access, isPreferred(access, to: column, path, cost: cost, constraints) else {
      return OrderedRows(rows: rows, candidates: nil, fixed: column.fixed)
    }
    // The number of rows that the access finds is that of the matches only if the access and the order's source decide
    // the predicate.
    let isCovered =
      constraints.isExact
      && constraints.fields.keys.allSatisfy { $0 == path || access.fields.contains($0) || column.fixed.contains($0) }
    guard isOnly, isCovered, let candidates = try candidates(in: rows, column, insteadOf: access) else { return nil }
    return OrderedRows(rows: rows, candidates: candidates, fixed: column.fixed)
  }

  /// Returns true if an access is assumed to find fewer rows than the columns before that of an order: it costs less, or
  /// as much with conditions on more fields.
  private func isPreferred(
    _ access: Access, to column: OrderColumn, _ path: FieldPath, cost: Int, _ constraints: QueryConstraints
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

  /// Returns the column that has the order of a path, in the source in which it follows the most columns; if there are
  /// several, in one in which it is the last column.
  ///
  /// - Parameter withKey: False if the primary key can't be the source.
  private mutating func orderColumn(
    of path: FieldPath, withKey: Bool, _ constraints: QueryConstraints
  ) throws -> OrderColumn? {
    var best: OrderColumn?
    /// Unless it is the last column, each row is looked up by itself. For all rows, that is slower than scanning and
    /// sorting them.
    func isBetter(_ found: OrderColumn) -> Bool {
      guard found.isLast || limit != nil else { return false }
      guard let best else { return true }
      if best.fixed.count != found.fixed.count { return best.fixed.count < found.fixed.count }
      return found.isLast && !best.isLast
    }
    if withKey, let found = orderColumn(of: path, in: .key, entity.primaryKey, constraints), isBetter(found) {
      best = found
    }
    for index in entity.indexes where index.fields.contains(where: { $0.path == path }) {
      guard let found = orderColumn(of: path, in: .index(index), index.fields, constraints), isBetter(found) else {
        continue
      }
      if try isUsable(index) { best = found }
    }
    return best
  }

  /// Returns the column of a path in a source; nil if the predicate doesn't fix the value of each column before it.
  private func orderColumn(
    of path: FieldPath, in source: QueryPlan.Source, _ fields: [EntityField], _ constraints: QueryConstraints
  ) -> OrderColumn? {
    guard let place = fields.firstIndex(where: { $0.path == path }) else { return nil }
    var search = QueryPlan.Search(source: source)
    for field in fields[..<place] {
      guard let constraint = constraints.fields[field.path] else { return nil }
      let condition = ColumnCondition(constraint, at: field.path)
      guard condition.points.count == 1, condition.ranges.isEmpty else { return nil }
      search.values.append(condition.points[0])
    }
    return OrderColumn(search: search, fixed: fields[..<place].map(\.path)[...], isLast: place == fields.count - 1)
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
    // SQLite sorts all rows with the same value, of which there may be any number.
    if !column.isLast { return nil }
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

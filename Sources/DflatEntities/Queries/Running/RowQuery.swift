import DflatSQLite

/// A query on one table's rows, ready to run on any view. It has no Swift type: code that is generic over the entity's
/// type looks up metadata at every turn, which would cost as much as the rest of a fetch by primary key.
struct RowQuery: Sendable {
  let entity: EntityDescription
  /// Nil for all rows.
  var predicate: QueryNode?
  var orders: [QueryOrder]
  /// Not negative; nil for no limit.
  var limit: Int?
  /// Not negative.
  var offset: Int
  /// The number of the table's rows for the planner; nil to look it up. Tests set it.
  var assumedSize: Int?

  init(_ entity: EntityDescription, _ predicate: QueryNode?, orderBy orders: [QueryOrder], limit: Int?, offset: Int) {
    self.entity = entity
    self.predicate = predicate
    self.orders = orders
    self.limit = limit.map { max($0, 0) }
    self.offset = max(offset, 0)
  }

  /// The number of first rows in the requested order that are read, with those that the offset skips; nil for all.
  var end: Int? {
    guard let limit, case (let end, overflow: false) = limit.addingReportingOverflow(offset) else { return nil }
    return end
  }

  /// The same query without order, limit and offset.
  var unordered: RowQuery {
    var copy = self
    copy.orders = []
    copy.limit = nil
    copy.offset = 0
    return copy
  }

  /// Plans the query, and requests the filling of incomplete indexes that it could use.
  ///
  /// - Throws: As `SchemaCatalog.requireCompatibility` and `SearchRanking.index(on:)`, and SQLite's errors.
  func plan(on connection: Connection, storage: LazyEntityStorage) throws -> QueryPlan {
    try SchemaCatalog.requireCompatibility(of: entity, on: connection)
    // The most frequent query needs no other preparation.
    if orders.isEmpty, let plan = QueryPlanner.rowByKey(predicate, for: entity) { return plan }
    // Use the full-text index only if it is complete.
    let index = try SearchRanking(of: self).index(on: connection)
    let isComplete = try index.map { try IndexCatalog.isComplete($0, of: entity, on: connection) } ?? false
    let search = isComplete ? index : nil
    var plan = try QueryPlanner.plan(predicate, orderedBy: orders, limit: end, for: entity, search: search) { index in
      try IndexCatalog.isComplete(index, of: entity, on: connection)
    } count: { search, most in
      try connection.reading(table: entity.table) { try search.count(upTo: most, of: entity, on: connection) } ?? 0
    } size: {
      // The highest rowid takes one look-up, and is at least the number of rows.
      try assumedSize ?? connection.reading(table: entity.table) {
        try connection.statement(text: entity.sql.highestRowid).firstRow { Int($0.int64(at: 0)) }
      } ?? 0
    }
    // Request the indexes that are missing.
    for index in plan.wanted { storage.value.filling.want(.init(entity: entity, index: index)) }
    if let index, !isComplete {
      plan.missingSearch = index
      storage.value.filling.want(index, of: entity)
    }
    return plan.ranked(by: self, search)
  }

  /// Returns the matches. Leaves out damaged rows that have a value of a condition that can't be read.
  ///
  /// - Parameter trustsLookups: True to not read the values of conditions that lookups have decided, because the caller
  ///   decodes the rows, or reads none of them.
  func matches(
    on connection: Connection, storage: LazyEntityStorage, trustingLookups trustsLookups: Bool = false
  ) throws -> MatchingRows {
    var plan = try plan(on: connection, storage: storage)
    if orders.contains(where: \.isRelevance) { plan = try SearchRanking(of: self).ranked(plan, on: connection) }
    return MatchingRows(
      plan, where: predicate, of: entity, on: connection, storage: storage, trustsLookups: trustsLookups)
  }

  /// Returns the number of rows, within limit and offset.
  func count(on connection: Connection, storage: LazyEntityStorage) throws -> Int {
    var matches = try unordered.matches(on: connection, storage: storage, trustingLookups: true)
    if matches.plan.findsUnreadable { matches = try unordered.matches(on: connection, storage: storage) }
    return try min(max(matches.count() - offset, 0), limit ?? .max)
  }

  /// Returns true if there is a row, within limit and offset.
  func exists(on connection: Connection, storage: LazyEntityStorage) throws -> Bool {
    if limit == 0 { return false }
    if offset > 0 { return try count(on: connection, storage: storage) > 0 }
    var found = false
    try unordered.matches(on: connection, storage: storage).forEach(inOrder: false) { _, _ in
      found = true
      return false
    }
    return found
  }
}

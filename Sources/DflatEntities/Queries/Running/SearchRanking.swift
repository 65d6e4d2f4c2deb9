import DflatBuffers
import DflatCore
import DflatSQLite
import DflatSupport

/// The full-text searches of a query, and its order by relevance.
struct SearchRanking {
  private let entity: EntityDescription
  private let predicate: QueryNode?
  private let orders: [QueryOrder]

  init(of query: RowQuery) { (entity, predicate, orders) = (query.entity, query.predicate, query.orders) }

  /// Returns the full-text index that the query can use once it is complete; nil if there is none.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.invalidRequest` if the query orders by relevance without a
  ///   search, and with code `.searchUnavailable` if SQLite has no full-text search.
  func index(on connection: Connection) throws -> SearchFields? {
    if orders.contains(where: \.isRelevance), predicate?.searches.isEmpty != false {
      throw WorkspaceError(
        .invalidRequest,
        "A query on '\(connection.path)' orders by relevance, but has no search; add a 'matches' that is not part of "
          + "an '||' or '!'.", path: connection.path)
    }
    guard let predicate, predicate.hasSearch else { return nil }
    try SearchEvaluator.requireAvailable(path: connection.path)
    return entity.search.flatMap { predicate.canUse($0) ? $0 : nil }
  }

  /// Returns the plan with its rows in the order of relevance, or with the objects' relevance in its orders, if the
  /// plan doesn't provide them yet.
  func ranked(_ plan: QueryPlan, on connection: Connection) throws -> QueryPlan {
    guard plan.sorting.contains(where: \.isRelevance), let predicate else { return plan }
    let matches = predicate.searches
    let found = try connection.reading(table: entity.table) { try ranks(matches, on: connection) } ?? [:]
    let relevance = RelevanceRanks(found)
    if plan.sorting.count == 1 {
      return QueryPlan(
        rows: .listed(relevance.rowids), residual: predicate.without(matches), sorting: [], wanted: plan.wanted)
    }
    let sorting = plan.sorting.map { order in
      var order = order
      if order.isRelevance { order.relevance = relevance }
      return order
    }
    return QueryPlan(
      rows: plan.rows, residual: plan.residual, sorting: sorting, isSortedByFirst: plan.isSortedByFirst,
      wanted: plan.wanted)
  }

  /// Returns the ranks of the rows that match all searches, by the index if it is complete, or else by reading all
  /// rows.
  private func ranks(_ matches: [SearchMatch], on connection: Connection) throws -> [Int64: Double] {
    let paths = matches.flatMap(\.paths)
    guard let index = entity.search, index.contains(paths) else {
      let fields = paths.reduce(into: [FieldPath]()) { if !$0.contains($1) { $0.append($1) } }
      return try SearchFields(fields).map {
        try temporaryRanks(IndexedSearch(fields: $0, matches: matches), on: connection)
      }
        ?? [:]
    }
    let search = IndexedSearch(fields: index, matches: matches)
    guard try IndexCatalog.isComplete(index, of: entity, on: connection) else {
      return try temporaryRanks(search, on: connection)
    }
    let sql = SearchSQL(index, of: entity.table)
    return try Self.ranks(search, by: connection.searchStatement(sql.ranks, on: sql.name))
  }

  private static func ranks(_ search: IndexedSearch, by statement: Statement) throws -> [Int64: Double] {
    guard let expression = try search.expression() else { return [:] }
    try statement.bind(expression, at: 1)
    var ranks: [Int64: Double] = [:]
    try statement.forEachRow { ranks[$0.int64(at: 0)] = $0.double(at: 1) }
    return ranks
  }

  /// Returns the ranks by an index in memory, which has every row of the table but no copy of the texts.
  private func temporaryRanks(_ search: IndexedSearch, on connection: Connection) throws -> [Int64: Double] {
    let memory = try Connection(path: Connection.memoryPath, mode: .memory, busyTimeout: .zero)
    let sql = SearchSQL(search.fields, of: entity.table)
    try memory.changeSchema(SearchTableFormat.temporaryTable(sql.name, columns: search.fields.columns))
    try memory.begin()
    // Index the texts of all rows, with null for those that have none.
    let store = try memory.prepare(sql.insert, usesVirtualTables: true)
    let reader = SearchReader(search.fields.paths)
    try connection.statement(text: QuerySQL(entity).scan).forEachRow { row in
      try row.withBytes(at: 1) { bytes in
        // A damaged row counts as one without texts, as in an index.
        let texts = try? reader.texts(in: FlatBufferTable(rootOf: bytes))
        store.bind(row.int64(at: 0), at: 1)
        for place in reader.readers.indices {
          if let texts, let text = texts[place] {
            try store.bind(text: text, at: Int32(place) + 2)
          } else {
            store.bindNull(at: Int32(place) + 2)
          }
        }
      }
      try store.run()
    }
    try memory.commit()
    let statement = try memory.prepare(sql.ranks, usesVirtualTables: true)
    return try withExtendedLifetime(memory) { try Self.ranks(search, by: statement) }
  }
}

extension QueryNode {
  /// True if a search in the node could use an index over these fields.
  fileprivate func canUse(_ fields: SearchFields) -> Bool {
    switch self {
    case .search(let match): fields.contains(match.paths)
    case .and(let left, let right), .or(let left, let right): left.canUse(fields) || right.canUse(fields)
    default: false
    }
  }
}

extension QueryPlan {
  /// Returns the plan of a query that orders by nothing but relevance, so that a complete full-text index returns the
  /// rows in their order. Returns any other plan unchanged.
  func ranked(by query: RowQuery, _ search: SearchFields?) -> QueryPlan {
    guard query.orders.count == 1, query.orders[0].isRelevance, let predicate = query.predicate else { return self }
    switch rows {
    case .none, .row:
      // No more than one row.
      return QueryPlan(rows: rows, residual: residual, sorting: [], wanted: wanted)
    default: break
    }
    let matches = predicate.searches
    guard let search, search.contains(matches.flatMap(\.paths)) else { return self }
    return QueryPlan(
      rows: .ranked(IndexedSearch(fields: search, matches: matches)), residual: predicate.without(matches), sorting: [],
      wanted: wanted)
  }
}

import DflatSQLite

/// An explanation of a query's execution: SQLite's searches, the evaluation on stored bytes, the sorting.
///
///     print(try workspace.query(for: Post.self).where(Post.priority > 3).explain())
///     // search by priority; in the requested order; no predicate is evaluated
///     //   SELECT rowid FROM "post__f10" WHERE "f10" > ?1
///     //     SEARCH post__f10 USING COVERING INDEX index__post__f10 (f10>?)
///     //   SELECT payload FROM "post" WHERE rowid = ?1
///     //     SEARCH post USING INTEGER PRIMARY KEY (rowid=?)
public struct QueryExplanation: Sendable, CustomStringConvertible {
  /// One sentence on the access, the order and the evaluation.
  public let access: String
  /// The indexes that the query uses or may use, including the primary key, each by its fields as queries spell them:
  /// `priority`, or `author, created` for several fields.
  public let indexes: [String]
  /// The indexes of the schema that the query could use if they were complete in the file. They are being filled.
  public let incompleteIndexes: [String]
  /// True if the predicate is evaluated on the bytes of each candidate, because SQL doesn't answer all of it.
  public let isEvaluated: Bool
  /// True if the matches are sorted in memory. Otherwise they come in the requested order, and reading stops at the
  /// limit. Matches may be sorted all the same if too few of them are near the beginning; `access` says so.
  public let isSorted: Bool
  /// True if the query reads no further than to its limit: the matches come in the requested order, or in the first of
  /// several orders, so that only those that are equal in it are sorted.
  public let stopsAtLimit: Bool
  /// The SQL statements, with their placeholders.
  public let statements: [String]
  /// The output of SQLite's `EXPLAIN QUERY PLAN` for each statement; empty if the table doesn't exist yet.
  public let sqlitePlans: [[String]]

  /// The whole explanation, for people.
  public var description: String {
    var lines = [access]
    for (statement, plan) in zip(statements, sqlitePlans) {
      lines.append("  " + statement)
      lines += plan.map { "    " + $0 }
    }
    if !incompleteIndexes.isEmpty { lines.append("  being filled: \(Self.list(incompleteIndexes))") }
    return lines.joined(separator: "\n")
  }

  /// Returns the names of indexes in a row.
  fileprivate static func list(_ names: [String]) -> String {
    names.joined(separator: names.contains { $0.contains(", ") } ? "; " : ", ")
  }
}

extension Query {
  /// Explains how `fetch` would find the objects now. Fetches nothing but, like a fetch, requests the filling of
  /// incomplete indexes that the query could use. Blocks the calling thread while it asks SQLite for its plans.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func explain() throws -> QueryExplanation {
    var found: QueryExplanation?
    try source.read(.swift(Element.self)) { connection, _ in
      found = try query.rows.explanation(on: connection, storage: source.storage)
    }
    return try found ?? query.rows.explanationWithoutFile()
  }
}

extension RowQuery {
  /// Explains how the rows would be found now, and requests the filling of incomplete indexes.
  func explanation(on connection: Connection, storage: LazyEntityStorage) throws -> QueryExplanation {
    let plan = try plan(on: connection, storage: storage)
    let statements = plan.statements(for: entity)
    for name in plan.searchTables(in: entity) { try connection.admitSearch(name) }
    return QueryExplanation(plan, of: entity, try statements.map { ($0, try connection.plan(of: $0, entity)) })
  }

  fileprivate func explanationWithoutFile() throws -> QueryExplanation {
    let plan = try QueryPlanner.plan(predicate, orderedBy: orders, limit: end, for: entity) { _ in false }
    return QueryExplanation(plan, of: entity, plan.statements(for: entity).map { ($0, []) })
  }
}

extension Connection {
  /// Returns SQLite's plan of a statement on a table, which may not exist yet.
  fileprivate func plan(of statement: String, _ entity: EntityDescription) throws -> [String] {
    try reading(table: entity.table) {
      var lines: [String] = []
      // The tables of full-text indexes have been checked. All others are, as the statements are prepared.
      let usesVirtualTables = statement.contains(" MATCH ?")
      try prepare("EXPLAIN QUERY PLAN " + statement, usesVirtualTables: usesVirtualTables).forEachRow {
        lines.append($0.string(at: 3))
      }
      return lines
    } ?? []
  }
}

extension QueryExplanation {
  init(_ plan: QueryPlan, of entity: EntityDescription, _ statements: [(text: String, plan: [String])]) {
    let fallback = plan.fallback?.plan
    indexes = QueryPlan.once(plan.sources + (fallback?.sources ?? [])).map { $0.fieldName(in: entity) }
    incompleteIndexes = plan.wanted.map(\.name) + (plan.missingSearch == nil ? [] : [entity.searchName])
    isEvaluated = plan.residual != nil
    isSorted = !plan.isStreamed
    stopsAtLimit = plan.isStreamed || plan.isSortedByFirst
    self.statements = statements.map { $0.text }
    self.sqlitePlans = statements.map { $0.plan }
    let order =
      plan.isStreamed
      ? "in the requested order"
      : plan.isSortedByFirst ? "in the first requested order, and sorted in memory by the others" : "sorted in memory"
    let evaluated = plan.residual == nil ? "no predicate is evaluated" : "the predicate is evaluated on the bytes"
    var access = "\(plan.access(in: entity)); \(order); \(evaluated)"
    if let most = plan.fallback?.candidates, let other = fallback?.access(in: entity) {
      access += "; if the first \(most) rows are not enough: \(other), sorted in memory"
    }
    self.access = access
  }
}

extension QueryPlan {
  /// The searched sources, each once.
  fileprivate var sources: [Source] {
    switch rows {
    case .none, .scan: return []
    case .row: return [.key]
    case .equal(let index, _): return [.index(index)]
    case .found(let searches): return Self.once(searches.map(\.source))
    case .ordered(let search, _, _): return [search.source]
    case .grouped(let source, _): return [source]
    case .ranked(let search): return [.text(search)]
    case .listed: return []
    }
  }

  /// Returns the tables of the full-text indexes that the plan uses.
  fileprivate func searchTables(in entity: EntityDescription) -> [String] {
    sources.compactMap { source in
      if case .text(let search) = source { search.fields.table(of: entity.table) } else { nil }
    }
  }

  fileprivate func access(in entity: EntityDescription) -> String {
    let names = QueryExplanation.list(sources.map { $0.fieldName(in: entity) })
    switch rows {
    case .none: return "no row can match"
    case .scan: return "scan of all rows"
    case .row: return "the row with one primary key"
    case .equal: return "the rows with one value of \(names)"
    case .found(let searches):
      let count = searches.reduce(0) { $0 + ($1.choices?.count ?? 1) }
      return count == 1 ? "search by \(names)" : "\(count) searches by \(names)"
    case .ordered(let search, _, let columns):
      guard !search.values.isEmpty else { return search.range == nil ? "all rows by \(names)" : "a range of \(names)" }
      let fields = search.source.fields(in: entity).map(\.name)
      let fixed = fields[..<search.values.count].joined(separator: ", ")
      return "the rows with one value of \(fixed), \(search.range == nil ? "by" : "in a range of") "
        + fields[search.values.count..<(search.values.count + columns)].joined(separator: ", ")
    case .grouped(_, let groups):
      return groups.count == 1 ? "the rows with one value of \(names)" : "\(groups.count) values of \(names) in order"
    case .ranked: return "search by \(names)"
    case .listed(let rowids): return "\(rowids.count) rows"
    }
  }

  fileprivate static func once<Value: Equatable>(_ values: [Value]) -> [Value] {
    values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Returns the SQL statements, each form once.
  fileprivate func statements(for entity: EntityDescription) -> [String] {
    let statements = rowStatements(in: entity)
    guard let fallback else { return statements }
    return Self.once(statements + fallback.plan.rowStatements(in: entity))
  }

  private func rowStatements(in entity: EntityDescription) -> [String] {
    let sql = QuerySQL(entity)
    switch rows {
    case .none: return []
    case .scan: return [sql.scan]
    case .row: return [entity.sql.find.text]
    case .equal(let index, let values): return [sql.equal(index, values)]
    case .found(let searches): return Self.once(searches.map { sql.rowids($0) }) + [entity.sql.load.text]
    case .ordered(let search, let isDescending, let columns):
      if !isDescending, let text = sql.ascending(search, columns) { return [text] }
      var sorted = search
      if isDescending, columns == 1 { sorted.range = search.sortedRange(in: entity) }
      var texts = [sql.rowids(inOrderOf: sorted, isDescending: isDescending, columns)]
      if isDescending, columns == 1, !search.findsFewForEach(in: entity) {
        texts += [sql.highestValue(of: search), sql.orderedRowids(search.with(.integer(0)))]
      }
      return texts + [entity.sql.load.text]
    case .grouped(_, let groups):
      return Self.once(groups.joined().map { $0.isSingle ? sql.orderedRowids($0) : sql.rowids($0) })
        + [entity.sql.load.text]
    case .ranked(let search): return [SearchSQL(search.fields, of: entity.table).ranked, entity.sql.load.text]
    case .listed: return [entity.sql.load.text]
    }
  }
}

extension EntityDescription {
  /// The name of the full-text index in explanations: its fields.
  fileprivate var searchName: String { searchable.map(\.name).joined(separator: ", ") }
}

extension QueryPlan.Source {
  fileprivate func fieldName(in entity: EntityDescription) -> String {
    switch self {
    case .key: entity.primaryKey.map(\.name).joined(separator: ", ")
    case .index(let index): index.name
    case .text: entity.searchName
    }
  }
}

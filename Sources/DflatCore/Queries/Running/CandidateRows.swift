import DflatSQLite

/// The rows that a plan's SQL gives.
struct CandidateRows {
  let plan: QueryPlan
  let entity: EntityDescription
  let connection: Connection

  /// What to do with a row, whose bytes are good until it returns; false ends the reading.
  typealias Body = (_ rowid: Int64, _ payload: UnsafeRawBufferPointer) throws -> Bool

  /// Each row once, in the plan's order.
  func forEach(_ body: Body) throws {
    let sql = QuerySQL(entity)
    switch plan.rows {
    case .none: break
    case .scan: try rows(connection.statement(text: sql.scan), body)
    case .row(let key):
      let statement = try connection.statement(entity.sql.find)
      for (place, value) in key.enumerated() { try ColumnValue.bind(value, to: statement, at: Int32(place) + 1) }
      try rows(statement, body)
    case .equal(let index, let value):
      let statement = try connection.statement(text: sql.equal(index, value))
      if value != .null { try ColumnValue.bind(value, to: statement, at: 1) }
      try rows(statement, body)
    case .found(let searches):
      for rowid in try rowids(searches) where try !load(rowid, body) { break }
    case .ordered(let source, let range, isDescending: false):
      let statement = try connection.statement(text: sql.ascending(source, range))
      try range?.bind(to: statement, from: 1)
      try rows(statement, body)
    case .ordered(let source, let range, isDescending: true):
      let statement = try connection.statement(text: sql.descending(source, range))
      try range?.bind(to: statement, from: 1)
      defer { statement.reset() }
      while try statement.step() {
        if try !load(statement.int64(at: 0), body) { break }
      }
    }
  }

  /// The rows in any order, some perhaps more than once: for who stops at the first match.
  func forEachUnordered(_ body: Body) throws {
    guard case .found(let searches) = plan.rows else { return try forEach(body) }
    for search in searches {
      let statement = try statement(of: search)
      defer { statement.reset() }
      while try statement.step() {
        if try !load(statement.int64(at: 0), body) { return }
      }
    }
  }

  /// How many rows there are.
  func count() throws -> Int {
    let sql = QuerySQL(entity)
    switch plan.rows {
    case .none: return 0
    case .scan: return try connection.statement(text: sql.count).firstRow { Int($0.int64(at: 0)) } ?? 0
    case .found(let searches) where searches.count > 1: return try rowids(searches).count
    case .found(let searches): return try searches.first.map(count) ?? 0
    case .equal(let index, let value): return try count(QueryPlan.Search(source: .index(index), values: [value]))
    case .row, .ordered:
      var count = 0
      try forEach { _, _ in
        count += 1
        return true
      }
      return count
    }
  }

  private func count(_ search: QueryPlan.Search) throws -> Int {
    let statement = try connection.statement(text: QuerySQL(entity).count(search))
    try search.bind(to: statement)
    return try statement.firstRow { Int($0.int64(at: 0)) } ?? 0
  }

  private func rows(_ statement: Statement, _ body: Body) throws {
    defer { statement.reset() }
    while try statement.step() {
      let rowid = statement.int64(at: 0)
      if try !statement.withBytes(at: 1, { try body(rowid, $0) }) { break }
    }
  }

  private func load(_ rowid: Int64, _ body: Body) throws -> Bool {
    let statement = try connection.statement(entity.sql.load)
    statement.bind(rowid, at: 1)
    defer { statement.reset() }
    // An index without its row: somebody else's damage. The row doesn't exist.
    guard try statement.step() else { return true }
    return try statement.withBytes(at: 0) { try body(rowid, $0) }
  }

  private func statement(of search: QueryPlan.Search) throws -> Statement {
    let statement = try connection.statement(text: QuerySQL(entity).rowids(search))
    try search.bind(to: statement)
    return statement
  }

  /// What the searches find, each row once, in ascending order.
  private func rowids(_ searches: [QueryPlan.Search]) throws -> [Int64] {
    let sql = QuerySQL(entity)
    var rowids: [Int64] = []
    var statement: Statement?
    var text = ""
    for (place, search) in searches.enumerated() {
      // A set's values are looked up by one statement.
      if place == 0 || !search.hasForm(of: searches[place - 1]) {
        text = sql.rowids(search)
        statement = try connection.statement(text: text)
      }
      guard let statement else { continue }
      try search.bind(to: statement)
      defer { statement.reset() }
      while try statement.step() { rowids.append(statement.int64(at: 0)) }
    }
    rowids.sort()
    var previous: Int64?
    rowids.removeAll { rowid in
      defer { previous = rowid }
      return rowid == previous
    }
    return rowids
  }
}

extension QueryPlan.Search {
  /// Whether both have the same SQL.
  fileprivate func hasForm(of other: QueryPlan.Search) -> Bool {
    guard range == nil, other.range == nil, source == other.source, values.count == other.values.count else {
      return false
    }
    return zip(values, other.values).allSatisfy { ($0 == .null) == ($1 == .null) }
  }
}

import DflatSQLite

/// The rows that a plan's SQL returns.
struct CandidateRows {
  let plan: QueryPlan
  let entity: EntityDescription
  let connection: Connection

  /// Handles a row, whose bytes are valid until the closure returns. Returning false stops the reading.
  typealias Body = (_ rowid: Int64, _ payload: UnsafeRawBufferPointer) throws -> Bool

  /// Visits each row once, in the plan's order.
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

  /// Visits the rows in any order, some perhaps repeatedly; for a caller that stops at the first match.
  func forEachUnordered(_ body: Body) throws {
    guard case .found(let searches) = plan.rows else { return try forEach(body) }
    let sql = QuerySQL(entity)
    var goesOn = true
    for search in searches where goesOn {
      let statement = try connection.statement(text: sql.rowids(search))
      try search.forEachLookUp(by: statement) { row in
        goesOn = try load(row.int64(at: 0), body)
        return goesOn
      }
    }
  }

  /// Returns the number of rows.
  func count() throws -> Int {
    let sql = QuerySQL(entity)
    switch plan.rows {
    case .none: return 0
    case .scan: return try connection.statement(text: sql.count).firstRow { Int($0.int64(at: 0)) } ?? 0
    // Two searches may find the same row.
    case .found(let searches): return try searches.count == 1 ? count(searches[0]) : rowids(searches).count
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
    var count = 0
    try search.forEachLookUp(by: connection.statement(text: QuerySQL(entity).count(search))) { row in
      count += Int(row.int64(at: 0))
      return true
    }
    return count
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
    // The index has an entry without a row, so the file is damaged. Treat the row as missing.
    guard try statement.step() else { return true }
    return try statement.withBytes(at: 0) { try body(rowid, $0) }
  }

  /// Returns the rowids that the searches find, each once, in ascending order.
  private func rowids(_ searches: [QueryPlan.Search]) throws -> [Int64] {
    let sql = QuerySQL(entity)
    var rowids: [Int64] = []
    for search in searches {
      try search.forEachLookUp(by: connection.statement(text: sql.rowids(search))) { row in
        rowids.append(row.int64(at: 0))
        return true
      }
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
  /// Runs the search's SQL, once for each choice, and passes the rows to `body` until that returns false.
  fileprivate func forEachLookUp(by statement: Statement, _ body: (Statement) throws -> Bool) throws {
    defer { statement.reset() }
    for (place, value) in values.enumerated() where value != .null {
      try ColumnValue.bind(value, to: statement, at: Int32(place) + 1)
    }
    try range?.bind(to: statement, from: Int32(values.count) + 1)
    guard let choices else {
      while try statement.step() { if try !body(statement) { return } }
      return
    }
    for value in choices {
      statement.reset()
      try ColumnValue.bind(value, to: statement, at: Int32(values.count) + 1)
      while try statement.step() { if try !body(statement) { return } }
    }
  }
}

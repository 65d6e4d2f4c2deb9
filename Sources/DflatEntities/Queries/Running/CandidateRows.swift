import DflatCore
import DflatSQLite
import DflatSupport

/// The rows that a plan's SQL returns.
struct CandidateRows {
  let plan: QueryPlan
  let entity: EntityDescription
  let connection: Connection

  /// The number of values that a descending read looks up one by one.
  private static let singleValues = 64

  /// Handles a row, whose bytes are valid until the closure returns. Returning false stops the reading.
  typealias Body = (_ rowid: Int64, _ payload: UnsafeRawBufferPointer) throws -> Bool

  /// Visits each row once, in the plan's order.
  func forEach(_ body: Body) throws {
    let sql = QuerySQL(entity)
    switch plan.rows {
    case .none: break
    // One statement finds the rows with their payloads.
    case .scan: try rows(connection.statement(text: sql.scan), isByRowid: true, body)
    case .row(let key):
      let statement = try connection.statement(entity.sql.find)
      for (place, value) in key.enumerated() { try ColumnValue.bind(value, to: statement, at: Int32(place) + 1) }
      try rows(statement, body)
    case .equal(let index, let values):
      let statement = try connection.statement(text: sql.equal(index, values))
      try QueryPlan.Search(source: .index(index), values: values).bind(to: statement)
      try rows(statement, isByRowid: true, body)
    // Searches find rowids, in part several times, and the rows are loaded by them.
    case .found(let searches):
      for rowid in try rowids(searches) where try !load(rowid, body) { break }
    case .ordered(let search, let isDescending, let columns):
      var visited = RepetitionCheck<Int64>()
      try forEach(in: search, isDescending, columns) { rowid, payload in
        try requireNew(rowid, &visited)
        return try body(rowid, payload)
      }
    case .grouped(_, let groups):
      var visited = RepetitionCheck<Int64>()
      for group in groups {
        let goesOn = try load(group) { rowid, payload in
          try requireNew(rowid, &visited)
          return try body(rowid, payload)
        }
        if !goesOn { break }
      }
    case .ranked(let search): _ = try load(search, body)
    case .listed(let rowids):
      for rowid in rowids where try !load(rowid, body) { break }
    }
  }

  /// Throws `.corrupt` if a row comes again in an order of values, which the rows don't show.
  private func requireNew(_ rowid: Int64, _ visited: inout RepetitionCheck<Int64>) throws {
    if visited.isRepeated(rowid) { throw WorkspaceError.rowsOutOfOrder(in: entity.table, path: connection.path) }
  }

  /// Visits a search's rows in the order of a number of columns after its values.
  private func forEach(
    in search: QueryPlan.Search, _ isDescending: Bool, _ columns: Int, _ body: Body
  ) throws {
    let sql = QuerySQL(entity)
    // One statement would sort all rows with the same value before it returns the first of them.
    if isDescending, columns == 1 { return try descend(search, body) }
    guard !isDescending, let text = sql.ascending(search, columns) else {
      _ = try load(sql.rowids(inOrderOf: search, isDescending: isDescending, columns), search, body)
      return
    }
    let statement = try connection.statement(text: text)
    try search.bind(to: statement)
    try rows(statement, body)
  }

  /// Visits the rows that a full-text index finds, those that match best first. Returns false if `body` does.
  private func load(_ search: IndexedSearch, _ body: Body) throws -> Bool {
    guard let expression = try search.expression() else { return true }
    let sql = SearchSQL(search.fields, of: entity.table)
    let statement = try connection.searchStatement(sql.ranked, on: sql.name)
    try statement.bind(expression, at: 1)
    defer { statement.reset() }
    while try statement.step() {
      if try !load(statement.int64(at: 0), body) { return false }
    }
    return true
  }

  /// Visits a search's rows in the descending order of the column after its values, those with the same value by rowid,
  /// then those without a value.
  ///
  /// One statement does this, too, but it sorts all rows with the same value before it returns the first of them, and
  /// there may be millions. So the first values are looked up one by one, each with its rows.
  private func descend(_ search: QueryPlan.Search, _ body: Body) throws {
    let sql = QuerySQL(entity)
    var rest = search
    rest.range = search.sortedRange(in: entity)
    // A plan with a fallback must not sort more rows than it may read.
    var count =
      search.findsFewForEach(in: entity) ? 0 : max(Self.singleValues, plan.fallback?.candidates ?? 0)
    while count > 0, let value = try highestValue(of: rest) {
      count -= 1
      if try !load([search.with(value)], body) || value == .null { return }
      rest.range = rest.range ?? ValueRange()
      rest.range?.upper = ValueRange.Bound(value: value, isInclusive: false)
    }
    let text = sql.rowids(inOrderOf: rest, isDescending: true)
    guard try load(text, rest, body), search.range == nil, rest.range != nil else { return }
    _ = try load([search.with(.null)], body)
  }

  /// Returns the highest value, among a search's rows, of the column after its values: null only without a range, if no
  /// row has a value. Returns nil if there is no row, or if the value can't be looked up.
  private func highestValue(of search: QueryPlan.Search) throws -> QueryValue? {
    let statement = try connection.statement(text: QuerySQL(entity).highestValue(of: search))
    try search.bind(to: statement)
    return try statement.firstRow { row -> QueryValue? in
      // A damaged object may have text that isn't UTF-8, which as a `String` would be another text.
      if row.type(at: 0) == .text, row.withBytes(at: 0, { UTF8Check.firstInvalid(in: $0) }) != nil { return nil }
      return ColumnValue.read(search.nextType(in: entity), from: row, at: 0)
    } ?? nil
  }

  /// Visits the rows for a caller that stops at the first match: those of searches in any order, some perhaps
  /// repeatedly, and ordered ones in their order, but equal ones in any.
  func forEachUnordered(_ body: Body) throws {
    let sql = QuerySQL(entity)
    switch plan.rows {
    case .found(let searches):
      var goesOn = true
      for search in searches where goesOn {
        let statement = try search.statement(sql.rowids(search), of: entity, on: connection)
        try search.forEachLookUp(by: statement) { row in
          goesOn = try load(row.int64(at: 0), body)
          return goesOn
        }
      }
    case .ordered(let search, let isDescending, let columns):
      // Without an order of equal rows, SQLite sorts nothing.
      let text = sql.rowids(inOrderOf: search, isDescending: isDescending, columns, sortsEqual: false)
      var visited = RepetitionCheck<Int64>()
      _ = try load(text, search) { rowid, payload in
        try requireNew(rowid, &visited)
        return try body(rowid, payload)
      }
    case .none, .scan, .row, .equal, .grouped, .ranked, .listed: try forEach(body)
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
    case .equal(let index, let values): return try count(QueryPlan.Search(source: .index(index), values: values))
    case .row, .ordered, .grouped, .ranked, .listed:
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
    try search.forEachLookUp(by: search.statement(QuerySQL(entity).count(search), of: entity, on: connection)) { row in
      count += Int(row.int64(at: 0))
      return true
    }
    return count
  }

  /// Visits a statement's rows.
  ///
  /// - Parameter isByRowid: True if they come by rowid. In a damaged file they may not: many paths may lead to the same
  ///   page of a tree, and its rows would come again and again.
  private func rows(_ statement: Statement, isByRowid: Bool = false, _ body: Body) throws {
    defer { statement.reset() }
    var previous: Int64?
    while try statement.step() {
      let rowid = statement.int64(at: 0)
      if isByRowid {
        if let previous, previous >= rowid {
          throw WorkspaceError.rowsOutOfOrder(in: entity.table, path: connection.path)
        }
        previous = rowid
      }
      if try !statement.withBytes(at: 1, { try body(rowid, $0) }) { break }
    }
  }

  /// Visits the rows whose rowids a statement for a search selects. Returns false if `body` does.
  private func load(_ text: String, _ search: QueryPlan.Search, _ body: Body) throws -> Bool {
    let statement = try connection.statement(text: text)
    try search.bind(to: statement)
    defer { statement.reset() }
    while try statement.step() {
      if try !load(statement.int64(at: 0), body) { return false }
    }
    return true
  }

  /// Visits the rows that the searches of a group find, by rowid. Returns false if `body` does.
  ///
  /// Reads the rows of the single lookup one by one. The rowids of the other searches, which look for numbers that the
  /// schema doesn't know, are collected before.
  private func load(_ group: [QueryPlan.Search], _ body: Body) throws -> Bool {
    var others = try rowids(group.filter { !$0.isSingle })[...]
    var goesOn = true
    if let single = group.first(where: \.isSingle) {
      let statement = try connection.statement(text: QuerySQL(entity).orderedRowids(single))
      try single.forEachLookUp(by: statement) { row in
        let rowid = row.int64(at: 0)
        while goesOn, let other = others.first, other < rowid {
          others.removeFirst()
          goesOn = try load(other, body)
        }
        if goesOn { goesOn = try load(rowid, body) }
        return goesOn
      }
    }
    while goesOn, let other = others.popFirst() { goesOn = try load(other, body) }
    return goesOn
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
      try search.forEachLookUp(by: search.statement(sql.rowids(search), of: entity, on: connection)) { row in
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
  /// Returns the number of rows that the search finds, or `most` if it is larger. Rows that several choices find count
  /// repeatedly.
  func count(upTo most: Int, of entity: EntityDescription, on connection: Connection) throws -> Int {
    var count = 0
    try forEachLookUp(by: statement(QuerySQL(entity).rowids(self), of: entity, on: connection)) { _ in
      count += 1
      return count < most
    }
    return count
  }

  /// Returns a statement of the search.
  func statement(_ text: String, of entity: EntityDescription, on connection: Connection) throws -> Statement {
    guard case .text(let search) = source else { return try connection.statement(text: text) }
    return try connection.searchStatement(text, on: search.fields.table(of: entity.table))
  }

  /// Binds the values and the range, but no choice.
  func bind(to statement: Statement) throws {
    for (place, value) in values.enumerated() where value != .null {
      try ColumnValue.bind(value, to: statement, at: Int32(place) + 1)
    }
    try range?.bind(to: statement, from: Int32(values.count) + 1)
  }

  /// Runs the search's SQL, once for each choice, and passes the rows to `body` until that returns false.
  func forEachLookUp(by statement: Statement, _ body: (Statement) throws -> Bool) throws {
    defer { statement.reset() }
    if case .text(let search) = source {
      guard let expression = try search.expression() else { return }
      try statement.bind(expression, at: 1)
      while try statement.step() { if try !body(statement) { return } }
      return
    }
    try bind(to: statement)
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

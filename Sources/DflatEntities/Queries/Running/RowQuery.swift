import DflatBuffers
import DflatCore
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

  init(_ entity: EntityDescription, _ predicate: QueryNode?, orderBy orders: [QueryOrder], limit: Int?, offset: Int) {
    self.entity = entity
    self.predicate = predicate
    self.orders = orders
    self.limit = limit.map { max($0, 0) }
    self.offset = max(offset, 0)
  }

  /// The same query without order, limit and offset.
  private var unordered: RowQuery { RowQuery(entity, predicate, orderBy: [], limit: nil, offset: 0) }

  /// Plans the query, and requests the filling of incomplete indexes that it could use.
  func plan(on connection: Connection, core: WorkspaceCore) throws -> QueryPlan {
    let plan = try QueryPlanner.plan(predicate, orderedBy: orders, for: entity) { index in
      try IndexCatalog.isComplete(index, of: entity, on: connection, core: core)
    }
    for index in plan.wanted { IndexCatalog.want(index, of: entity, core: core) }
    return plan
  }

  func matches(on connection: Connection, core: WorkspaceCore) throws -> MatchingRows {
    MatchingRows(try plan(on: connection, core: core), of: entity, on: connection, core: core)
  }

  /// Returns the number of rows, within limit and offset.
  func count(on connection: Connection, core: WorkspaceCore) throws -> Int {
    let count = try unordered.matches(on: connection, core: core).count()
    return min(max(count - offset, 0), limit ?? .max)
  }

  /// Returns true if there is a row, within limit and offset.
  func exists(on connection: Connection, core: WorkspaceCore) throws -> Bool {
    if limit == 0 { return false }
    if offset > 0 { return try count(on: connection, core: core) > 0 }
    var found = false
    try unordered.matches(on: connection, core: core).forEach(inOrder: false) { _, _ in
      found = true
      return false
    }
    return found
  }
}

/// The rows of a plan for which the query's predicate is true.
struct MatchingRows {
  let plan: QueryPlan
  private let candidates: CandidateRows
  private let predicate: CompiledPredicate?
  private let core: WorkspaceCore

  init(_ plan: QueryPlan, of entity: EntityDescription, on connection: Connection, core: WorkspaceCore) {
    self.plan = plan
    self.core = core
    predicate = plan.residual.map(CompiledPredicate.init)
    candidates = CandidateRows(plan: plan, entity: entity, connection: connection)
  }

  /// Visits each match once in the plan's order, or, unless `isOrdered`, in any order and perhaps more than once.
  /// Visits none if the table doesn't exist.
  func forEach(inOrder isOrdered: Bool = true, _ body: CandidateRows.Body) throws {
    func visit(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Bool {
      try readingRow(rowid) {
        if let predicate, try !predicate.matches(bytes) { return true }
        return try body(rowid, bytes)
      }
    }
    _ = try candidates.connection.reading(table: candidates.entity.table) {
      try isOrdered ? candidates.forEach(visit) : candidates.forEachUnordered(visit)
    }
  }

  func count() throws -> Int {
    if plan.residual == nil {
      return try candidates.connection.reading(table: candidates.entity.table) { try candidates.count() } ?? 0
    }
    var count = 0
    try forEach { _, _ in
      count += 1
      return true
    }
    return count
  }

  /// Runs `body` on a row. Skips a row in which `body` finds damage, and reports it once.
  private func readingRow(_ rowid: Int64, _ body: () throws -> Bool) throws -> Bool {
    do { return try body() } catch let error as FlatBufferError {
      reportDamage(error, rowid)
      return true
    }
  }

  func reportDamage(_ error: FlatBufferError, _ rowid: Int64) {
    EntityStore.of(core).reportDamage(error, rowid: rowid, of: candidates.entity)
  }
}

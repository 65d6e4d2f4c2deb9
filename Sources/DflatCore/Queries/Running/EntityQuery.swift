import DflatBuffers
package import DflatSQLite

/// What is asked of one type's objects, ready to be run on any view.
package struct EntityQuery<Element: Atom>: Sendable {
  /// Nil for all objects.
  package var predicate: QueryNode?
  package var orders: [QueryOrder] = []
  /// The objects that are given at most, after those of the offset; nil for all.
  package var limit: Int?
  /// The first objects, in the asked order, that are left out.
  package var offset = 0

  package init(_ predicate: QueryNode? = nil, orderBy orders: [QueryOrder] = [], limit: Int? = nil, offset: Int = 0) {
    self.predicate = predicate
    self.orders = orders
    self.limit = limit.map { max($0, 0) }
    self.offset = max(offset, 0)
  }

  /// The objects, in the asked order, as a connection's view shows them.
  ///
  /// - Parameter commitNumber: Of the view; the objects carry it.
  /// - Throws: `WorkspaceError` `.undecodable` for a row that can't be read; SQLite's errors.
  package func run(on connection: Connection, commitNumber: UInt64, core: WorkspaceCore) throws -> [Element] {
    try collect(on: connection, core: core) { rowid, bytes in
      try Element.stored(in: bytes, rowid: rowid, commitNumber: commitNumber)
    }
  }

  /// The rows of the objects, in the asked order.
  package func rowids(on connection: Connection, core: WorkspaceCore) throws -> [Int64] {
    try collect(on: connection, core: core) { rowid, _ in rowid }
  }

  /// How many objects there are.
  package func count(on connection: Connection, core: WorkspaceCore) throws -> Int {
    var all = self
    all.orders = []
    let count = try all.countAll(on: connection, core: core)
    return min(max(count - offset, 0), limit ?? .max)
  }

  /// Whether there is one.
  package func exists(on connection: Connection, core: WorkspaceCore) throws -> Bool {
    if limit == 0 { return false }
    if offset > 0 { return try count(on: connection, core: core) > 0 }
    var all = self
    all.orders = []
    let matches = try Matches(all, on: connection, core: core)
    var found = false
    try matches.forEach(inOrder: false) { _, _ in
      found = true
      return false
    }
    return found
  }

  private func countAll(on connection: Connection, core: WorkspaceCore) throws -> Int {
    let matches = try Matches(self, on: connection, core: core)
    if matches.plan.residual == nil {
      return try connection.reading(table: Element._entity.table) { try matches.candidates.count() } ?? 0
    }
    var count = 0
    try matches.forEach { _, _ in
      count += 1
      return true
    }
    return count
  }
}

/// The rows of a query, without its limit and offset.
struct Matches<Element: Atom> {
  let plan: QueryPlan
  let candidates: CandidateRows
  private let predicate: CompiledPredicate?
  private let core: WorkspaceCore

  init(_ query: EntityQuery<Element>, on connection: Connection, core: WorkspaceCore) throws {
    let entity = Element._entity
    self.core = core
    plan = try QueryPlanner.plan(query.predicate, orderedBy: query.orders, for: entity) { index in
      try IndexCatalog.isComplete(index, of: entity, on: connection, core: core)
    }
    for index in plan.wanted { IndexCatalog.want(index, of: entity, core: core) }
    predicate = plan.residual.map(CompiledPredicate.init)
    candidates = CandidateRows(plan: plan, entity: entity, connection: connection)
  }

  /// Each match once, in the plan's order; or in any, and perhaps more than once. There are none where there is no table.
  func forEach(inOrder isOrdered: Bool = true, _ body: CandidateRows.Body) throws {
    let entity = candidates.entity
    func visit(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Bool {
      do {
        if let predicate, try !predicate.matches(bytes) { return true }
        return try body(rowid, bytes)
      } catch let error as FlatBufferError {
        throw WorkspaceError.undecodable(error, rowid: rowid, table: entity.table, path: core.path)
      }
    }
    _ = try candidates.connection.reading(table: entity.table) {
      try isOrdered ? candidates.forEach(visit) : candidates.forEachUnordered(visit)
    }
  }
}

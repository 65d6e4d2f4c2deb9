import DflatBuffers
import DflatSQLite

/// The rows of a plan for which the query's predicate is true.
struct MatchingRows {
  var plan: QueryPlan { candidates.plan }
  private let candidates: CandidateRows
  private let predicate: CompiledPredicate?
  private let storage: LazyEntityStorage

  init(_ plan: QueryPlan, of entity: EntityDescription, on connection: Connection, storage: LazyEntityStorage) {
    self.storage = storage
    predicate = plan.residual.map(CompiledPredicate.init)
    candidates = CandidateRows(plan: plan, entity: entity, connection: connection)
  }

  /// The same rows by the plan's fallback; nil if it has none.
  var fallback: MatchingRows? {
    plan.fallback.map {
      MatchingRows($0.plan, of: candidates.entity, on: candidates.connection, storage: storage)
    }
  }

  /// Visits each match once in the plan's order. Unless `isOrdered`, rows that are equal in that order come in any
  /// order; those of a plan without an order, in any order and perhaps more than once. Visits none if the table doesn't
  /// exist.
  ///
  /// Returns false if the plan has a fallback, and the rows that may be read before it are used up.
  @discardableResult
  func forEach(inOrder isOrdered: Bool = true, _ body: CandidateRows.Body) throws -> Bool {
    guard let most = plan.fallback?.candidates else {
      try forEachCandidate(inOrder: isOrdered) { try visit($0, $1, body) }
      return true
    }
    var left = most
    var isDone = true
    try forEachCandidate(inOrder: isOrdered) { rowid, bytes in
      if left == 0 {
        isDone = false
        return false
      }
      left -= 1
      return try visit(rowid, bytes, body)
    }
    return isDone
  }

  /// Takes a closure rather than a local function: variables that a local function captures are checked for overlapping
  /// accesses at each row.
  private func forEachCandidate(inOrder isOrdered: Bool, _ body: CandidateRows.Body) throws {
    _ = try candidates.connection.reading(table: candidates.entity.table) {
      try isOrdered ? candidates.forEach(body) : candidates.forEachUnordered(body)
    }
  }

  /// Passes a candidate to `body` if it matches. Skips a row in which either finds damage, and reports it once.
  private func visit(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ body: CandidateRows.Body) throws -> Bool {
    do {
      if let predicate, try !predicate.matches(bytes) { return true }
      return try body(rowid, bytes)
    } catch let error as FlatBufferError {
      reportDamage(error, rowid)
      return true
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

  func reportDamage(_ error: FlatBufferError, _ rowid: Int64) {
    storage.value.damage.report(error, rowid: rowid, of: candidates.entity)
  }
}

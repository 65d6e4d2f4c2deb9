import DflatBuffers
import DflatSQLite

/// The rows of a plan for which the query's predicate is true.
struct MatchingRows {
  var plan: QueryPlan { candidates.plan }
  /// True if the conditions that lookups have decided aren't evaluated. A row that was damaged after an index got its
  /// values may then be among the rows.
  let trustsLookups: Bool
  private let candidates: CandidateRows
  /// The evaluated part of the predicate; nil if nothing is evaluated.
  private let evaluated: CompiledPredicate?
  /// Reads the texts of full-text searches that an index has answered, but evaluates no search; nil if there are none.
  private let searched: SearchReader?
  private let storage: LazyEntityStorage

  /// - Parameters:
  ///   - plan: The plan.
  ///   - predicate: The query's predicate.
  ///   - entity: The type.
  ///   - connection: The connection.
  ///   - storage: The workspace's storage.
  ///   - trustsLookups: False to read the values of all conditions, so that the rows don't depend on the indexes.
  init(
    _ plan: QueryPlan, where predicate: QueryNode?, of entity: EntityDescription, on connection: Connection,
    storage: LazyEntityStorage, trustsLookups: Bool
  ) {
    self.storage = storage
    self.trustsLookups = trustsLookups
    let searches = trustsLookups ? [] : predicate?.searches ?? []
    searched = searches.isEmpty ? nil : SearchReader(searches.flatMap(\.paths))
    let node = plan.residual ?? (trustsLookups ? nil : predicate?.without(searches))
    evaluated = node.map(CompiledPredicate.init)
    candidates = CandidateRows(plan: plan, entity: entity, connection: connection)
  }

  /// The same rows by the plan's fallback, which evaluates the predicate; nil if it has none.
  var fallback: MatchingRows? {
    plan.fallback.map {
      MatchingRows(
        $0.plan, where: $0.residual, of: candidates.entity, on: candidates.connection, storage: storage,
        trustsLookups: trustsLookups)
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
      if let evaluated, try !evaluated.matches(bytes) { return true }
      if let searched { _ = try searched.texts(in: FlatBufferTable(rootOf: bytes)) }
      return try body(rowid, bytes)
    } catch let error as FlatBufferError {
      reportDamage(error, rowid)
      return true
    }
  }

  func count() throws -> Int {
    if evaluated == nil, searched == nil {
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

import DflatBuffers

/// Which rows a live query shows, in which order: the query without the type of its objects.
struct RowSelection: Sendable {
  /// Nil where all rows match that fulfil the condition.
  private let predicate: CompiledPredicate?
  /// Nil for the order of the rowids.
  let keys: SortKeyReader?
  /// Of a query of all rows that are sorted: by what.
  let ordersOfAll: [QueryOrder]?
  let limit: Int?
  let offset: Int
  let condition: MatchCondition

  init(where node: QueryNode?, orderBy orders: [QueryOrder], limit: Int?, offset: Int) {
    keys = orders.isEmpty ? nil : SortKeyReader(orders)
    ordersOfAll = node == nil && limit != 0 && !orders.isEmpty ? orders : nil
    self.limit = limit
    self.offset = offset
    guard let node, limit != 0 else {
      condition = limit == 0 ? .none : .any
      predicate = nil
      return
    }
    let constraints = node.constraints
    condition = MatchCondition(constraints)
    let fieldCount = if case .any = condition { 0 } else { 1 }
    let isExact = constraints.isExact && constraints.fields.count == fieldCount
    predicate = isExact ? nil : CompiledPredicate(node)
  }

  /// Whether a changed row that is there matches, of those that the matching index found.
  func matches(candidate change: Int, of changes: ChangedRows) throws -> Bool {
    guard let predicate, let new = changes.rows[change].new else { return true }
    return try new.bytes.withUnsafeBytes { try predicate.matches($0) }
  }

  // MARK: Limits

  /// How many of the first rows in the order have to be known; nil for all.
  var needed: Int? {
    // What nobody can hold in memory is no limit.
    end.flatMap { $0 > 1 << 30 ? nil : $0 }
  }

  /// The position after the last row that is seen; nil for no limit.
  private var end: Int? {
    guard let limit else { return nil }
    let (end, overflow) = limit.addingReportingOverflow(offset)
    return overflow ? nil : end
  }

  /// How many to fetch: some more than needed, so that rows can leave without another fetch.
  var wanted: Int? { needed.map { $0 + reserve(for: $0) } }

  /// More known rows than this are forgotten.
  var most: Int? { needed.map { $0 + 2 * reserve(for: $0) } }

  private func reserve(for count: Int) -> Int { min(max(count / 2, 16), 1_024) }

  /// The rows that are seen, of so many that are known.
  func visible(of count: Int) -> Range<Int> {
    let end = end.map { min($0, count) } ?? count
    return min(offset, end)..<end
  }
}

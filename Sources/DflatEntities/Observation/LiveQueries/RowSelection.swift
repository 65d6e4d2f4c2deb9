import DflatBuffers

/// The rows that a live query shows and their order: the query without the type of its objects.
struct RowSelection: Sendable {
  /// The predicate; nil if every row that meets the condition matches.
  private let predicate: CompiledPredicate?
  /// The reader of the sort keys; nil for rowid order.
  let keys: SortKeyReader?
  /// The sort order of a query of all rows; nil for other queries.
  let ordersOfAll: [QueryOrder]?
  let limit: Int?
  let offset: Int
  /// True for the order by relevance, which any row of the table may change: the query is fetched again instead of
  /// moved.
  let isRanked: Bool
  /// The condition that the matching index looks up.
  let condition: MatchCondition

  init(where node: QueryNode?, orderBy orders: [QueryOrder], limit: Int?, offset: Int) {
    let isRanked = orders.contains(where: \.isRelevance)
    self.isRanked = isRanked
    keys = orders.isEmpty || isRanked ? nil : SortKeyReader(orders)
    ordersOfAll = node == nil && limit != 0 && !orders.isEmpty && !isRanked ? orders : nil
    self.limit = limit
    self.offset = offset
    guard let node, limit != 0, !isRanked else {
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

  /// Returns true if a changed row that exists matches. The row is one that the matching index found.
  func matches(candidate change: Int, of changes: PublishedRows) throws -> Bool {
    guard let predicate, let new = changes.rows[change].new else { return true }
    return try new.bytes.withUnsafeBytes { try predicate.matches($0) }
  }

  /// Returns true if a changed row matched before the commit or matches now. The row is one that the matching index
  /// found.
  func concerns(_ entry: Candidates.Entry, of changes: PublishedRows) throws -> Bool {
    guard let predicate else { return true }
    let row = changes.rows[entry.change]
    if entry.mayHaveMatched, let old = row.old {
      if try old.bytes.withUnsafeBytes({ try predicate.matches($0) }) { return true }
    }
    guard entry.mayMatch, let new = row.new else { return false }
    return try new.bytes.withUnsafeBytes { try predicate.matches($0) }
  }

  // MARK: Limits

  /// The number of first rows that have to be known; nil for all.
  var needed: Int? {
    // A limit too large for memory counts as no limit.
    end.flatMap { $0 > 1 << 30 ? nil : $0 }
  }

  /// The position after the last visible row; nil for no limit.
  private var end: Int? {
    guard let limit else { return nil }
    let (end, overflow) = limit.addingReportingOverflow(offset)
    return overflow ? nil : end
  }

  /// The number of rows to fetch: more than needed, so that rows can leave without another fetch.
  var wanted: Int? { needed.map { $0 + reserve(for: $0) } }

  /// The number of known rows above which the last ones are dropped.
  var most: Int? { needed.map { $0 + 2 * reserve(for: $0) } }

  private func reserve(for count: Int) -> Int { min(max(count / 2, 16), 1_024) }

  /// Returns the positions of the visible rows among `count` known ones.
  func visible(of count: Int) -> Range<Int> {
    let end = end.map { min($0, count) } ?? count
    return min(offset, end)..<end
  }
}

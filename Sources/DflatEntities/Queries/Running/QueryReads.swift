import DflatCore

/// The queries that one run of an observed closure has run.
final class QueryReads {
  private(set) var queries: [TrackedQuery: EntityDescription] = [:]

  func note(_ rows: RowQuery) { queries[TrackedQuery(rows)] = rows.entity }
}

/// The rows that a query depends on: those of one table that match its predicate, whatever its order and limits.
struct TrackedQuery: Hashable {
  let table: Int
  /// Nil for all rows.
  let predicate: QueryNode?
  /// The texts of the predicate's `hasPrefix`. Two predicates are equal if these are canonically equivalent, but then
  /// they match other rows, unless the bytes are the same.
  private let prefixes: [ByteComparedString]

  init(_ rows: RowQuery) {
    table = rows.entity.number
    predicate = rows.predicate
    prefixes = rows.predicate?.prefixes ?? []
  }
}

extension QueryNode {
  /// The texts of all `hasPrefix`, in the order of the expression.
  fileprivate var prefixes: [ByteComparedString] {
    switch self {
    case .constant, .field, .hasElement, .isEmpty: []
    case .arithmetic(_, let left, let right, _), .comparison(_, let left, let right), .and(let left, let right),
      .or(let left, let right):
      left.prefixes + right.prefixes
    case .not(let operand), .isNull(let operand), .isIn(let operand, _), .matches(let operand, _): operand.prefixes
    case .hasPrefix(let operand, let text): operand.prefixes + [ByteComparedString(text)]
    }
  }
}

extension QuerySource {
  /// Records a query for the observed closure that this thread runs, if any.
  func note(_ rows: RowQuery) {
    guard let recorder = ThreadContext.recorder(of: core) else { return }
    // The store tracks the query, so it has to exist.
    _ = storage.value
    recorder.part(orAdding: QueryReads()).note(rows)
  }
}

import DflatCore

/// The queries that one run of an observed closure has run.
final class QueryReads {
  private(set) var queries: [TrackedQuery: EntityDescription] = [:]

  func note(_ rows: RowQuery) { queries[TrackedQuery(rows)] = rows.entity }
}

/// The rows that a query depends on: those of one table that match its predicate, whatever its order and limits.
struct TrackedQuery: Sendable {
  let table: Int
  /// Nil for all rows.
  let predicate: QueryNode?
  private let identity: PredicateIdentity?

  init(_ rows: RowQuery) {
    table = rows.entity.number
    // The order by relevance depends on every row.
    predicate = rows.orders.contains(where: \.isRelevance) ? nil : rows.predicate
    identity = predicate.map { PredicateIdentity($0) }
  }
}

extension TrackedQuery: Hashable {
  static func == (lhs: TrackedQuery, rhs: TrackedQuery) -> Bool {
    lhs.table == rhs.table && lhs.identity == rhs.identity
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    hasher.combine(identity)
  }
}

/// A predicate that is compared by the bits of its numbers and the bytes of its texts. The predicate's own `==`
/// compares values: NaN equals nothing, and canonically equivalent prefixes are equal, although they match other rows.
private struct PredicateIdentity: Hashable, Sendable {
  /// The predicate with 0 in place of each real number, and without those in sets.
  private var shape: QueryNode
  /// The bits of the real numbers, in the order of the expression. Those of a set come after their number.
  private var reals: [UInt64] = []
  /// The texts of all `hasPrefix`, in the order of the expression.
  private var prefixes: [ByteComparedString] = []

  init(_ predicate: QueryNode) {
    shape = predicate
    shape = taking(predicate)
  }

  /// Notes the node's real numbers and prefixes, and returns its shape.
  private mutating func taking(_ node: QueryNode) -> QueryNode {
    switch node {
    case .constant(let value): return .constant(taking(value))
    case .field, .isEmpty, .search: return node  // a search compares its text by bytes
    case .arithmetic(let operation, let left, let right, let type):
      return .arithmetic(operation, taking(left), taking(right), type)
    case .comparison(let comparison, let left, let right): return .comparison(comparison, taking(left), taking(right))
    case .and(let left, let right): return .and(taking(left), taking(right))
    case .or(let left, let right): return .or(taking(left), taking(right))
    case .not(let operand): return .not(taking(operand))
    case .isNull(let operand): return .isNull(taking(operand))
    case .isIn(let operand, let values): return .isIn(taking(operand), taking(values))
    case .hasPrefix(let operand, let text):
      prefixes.append(ByteComparedString(text))
      return .hasPrefix(taking(operand), text)
    case .matches(let operand, let pattern): return .matches(taking(operand), pattern)
    case .hasElement(let path, let value, let ignoresCase):
      return .hasElement(path, taking(value), ignoresCase: ignoresCase)
    }
  }

  private mutating func taking(_ value: QueryValue) -> QueryValue {
    guard case .real(let real) = value else { return value }
    reals.append(real.bitPattern)
    return .real(0)
  }

  private mutating func taking(_ values: Set<QueryValue>) -> Set<QueryValue> {
    var others: Set<QueryValue> = []
    var bits: Set<UInt64> = []
    for value in values {
      if case .real(let real) = value { bits.insert(real.bitPattern) } else { others.insert(value) }
    }
    reals.append(UInt64(bits.count))
    reals += bits.sorted()
    return others
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

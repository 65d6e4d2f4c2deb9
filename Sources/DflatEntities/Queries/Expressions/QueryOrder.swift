/// A sort key without its static types.
package struct QueryOrder: Hashable, Sendable {
  package enum Direction: Sendable { case ascending, descending }

  package let field: QueryField
  package var isDescending: Bool
  /// For a custom order, the index of each value; other values come first.
  package let ranks: [QueryValue: Int]?
  /// True for the order by relevance, which has no field.
  package let isRelevance: Bool
  /// The relevance of the objects that match the query's searches; nil until these have run.
  var relevance: RelevanceRanks?

  package static let relevance = QueryOrder()

  /// Creates the order by relevance.
  private init() {
    field = QueryField(FieldPath(.string(0)))
    isDescending = false
    ranks = nil
    isRelevance = true
  }

  package init(_ direction: Direction, by field: QueryField) {
    self.field = field
    isDescending = direction == .descending
    ranks = nil
    isRelevance = false
  }

  package init(ranks values: [QueryValue], keepingFirst: Bool, of field: QueryField) {
    self.field = field
    isDescending = false
    ranks = Dictionary(zip(values, values.indices)) { first, last in keepingFirst ? first : last }
    isRelevance = false
  }
}

/// The relevance of objects: the lower a rank, the better the object with that rowid matches.
final class RelevanceRanks: Hashable, Sendable {
  let ranks: [Int64: Double]

  init(_ ranks: [Int64: Double]) { self.ranks = ranks }

  /// The rowids of the objects, those that match best first.
  var rowids: [Int64] { ranks.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key) }

  static func == (a: RelevanceRanks, b: RelevanceRanks) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

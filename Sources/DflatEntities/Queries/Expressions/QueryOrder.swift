/// A sort key without its static types.
package struct QueryOrder: Hashable, Sendable {
  package enum Direction: Sendable { case ascending, descending }

  package let field: QueryField
  package var isDescending: Bool
  /// For a custom order, the index of each value; other values come first.
  package let ranks: [QueryValue: Int]?

  package init(_ direction: Direction, by field: QueryField) {
    self.field = field
    isDescending = direction == .descending
    ranks = nil
  }

  package init(ranks values: [QueryValue], keepingFirst: Bool, of field: QueryField) {
    self.field = field
    isDescending = false
    ranks = Dictionary(zip(values, values.indices)) { first, last in keepingFirst ? first : last }
  }
}

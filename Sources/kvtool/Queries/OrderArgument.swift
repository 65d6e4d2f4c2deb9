import ArgumentParser
import DflatEntities

/// The sort keys of `--order`: paths of fields, each optionally with `:asc` or `:desc`, separated by commas.
struct OrderArgument: ExpressibleByArgument {
  private struct Key {
    let names: [PredicateSyntax.Name]
    let direction: QueryOrder.Direction
  }

  private let keys: [Key]

  init?(argument: String) {
    var keys: [Key] = []
    var column = 1
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      defer { column += part.count + 1 }
      let words = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      let direction: QueryOrder.Direction
      switch words.dropFirst() {
      case [], ["asc"]: direction = .ascending
      case ["desc"]: direction = .descending
      default: return nil
      }
      let names = words[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      // Names of fields have none of these. Other tools write '-stars' or 'stars desc'.
      if names.contains(where: { $0.isEmpty || $0.contains { $0.isWhitespace || "+-".contains($0) } }) { return nil }
      keys.append(
        Key(names: names.map { PredicateSyntax.Name(text: $0, column: column) }, direction: direction))
    }
    self.keys = keys
  }

  /// Returns the orders of a type's objects. `relevance` is the order of a full-text search, unless a field has that
  /// name.
  func orders(_ type: StoredType) throws(PredicateFailure) -> [QueryOrder] {
    var orders: [QueryOrder] = []
    for key in keys {
      let isRelevance = key.names.map(\.text) == ["relevance"] && !type.fields.contains { $0.name == "relevance" }
      orders.append(
        isRelevance
          ? .relevance : QueryOrder(key.direction, by: try PredicateResolver(type: type).field(key.names)))
    }
    return orders
  }
}

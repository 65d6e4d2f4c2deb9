/// How many objects a query gives at most: the first ones in the asked order.
public enum Limit: Hashable, Sendable {
  /// All of them.
  case noLimit
  /// So many. Zero and negative numbers give none.
  case limit(_: Int)

  /// Nil for no limit; never negative.
  package var count: Int? {
    switch self {
    case .noLimit: nil
    case .limit(let count): max(count, 0)
    }
  }
}

/// How two objects stand to each other by one key.
public enum SortingOrder: Hashable, Sendable {
  /// The left one's key is smaller, or it has none and the right one has.
  case ascending
  /// They are equal, or neither has one.
  case same
  /// The left one's key is greater, or the right one has none.
  case descending
}

/// One key that results are sorted by: `Post.priority.descending`, or `["high", "low"].firstIndex(of: Post.level)`.
///
/// Objects that are equal by all keys come in the order of their insertion, also where a key is descending.
public final class OrderBy<Element: Atom>: Sendable {
  /// The name of the field's column: `__pk0`, or its path.
  public let name: String
  package let order: QueryOrder

  init(_ order: QueryOrder, name: String) {
    self.order = order
    self.name = name
  }

  /// `.ascending` or `.descending`.
  public var sortingOrder: SortingOrder { order.isDescending ? .descending : .ascending }

  /// How the keys of two objects compare, whatever the direction that is asked for.
  ///
  /// Objects that can't be encoded, which are none that were fetched, count as having no key.
  public func areInSortingOrder(_ lhs: Element, _ rhs: Element) -> SortingOrder {
    var ascending = order
    ascending.isDescending = false
    let reader = SortKeyReader([ascending])
    let left = try? lhs.withEncodedBytes { try reader.key(of: $0, rowid: 0) }
    let right = try? rhs.withEncodedBytes { try reader.key(of: $0, rowid: 0) }
    switch (left, right) {
    case (let left?, let right?): return left < right ? .ascending : right < left ? .descending : .same
    case (nil, nil): return .same
    case (nil, _): return .ascending
    case (_, nil): return .descending
    }
  }
}

extension Collection where Element: DflatFriendlyValue {
  /// Sorts by the place that a field's value has first in this collection. Objects whose value is not in it come first, and
  /// so do those without one.
  ///
  ///     workspace.fetch(for: Post.self).all(orderBy: [[Color.green, .red, .blue].firstIndex(of: Post.color)])
  public func firstIndex<AtomElement: Atom>(of field: FieldExpr<Element, AtomElement>) -> OrderBy<AtomElement> {
    OrderBy(QueryOrder(places: map { $0._queryValue }, keepingFirst: true, of: field.field), name: field.name)
  }

  /// Sorts by the place that a field's value has last in this collection. Objects whose value is not in it come first, and
  /// so do those without one.
  public func lastIndex<AtomElement: Atom>(of field: FieldExpr<Element, AtomElement>) -> OrderBy<AtomElement> {
    OrderBy(QueryOrder(places: map { $0._queryValue }, keepingFirst: false, of: field.field), name: field.name)
  }
}

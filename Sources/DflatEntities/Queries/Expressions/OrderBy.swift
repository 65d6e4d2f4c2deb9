/// The maximum number of objects that a query returns, the first ones in the requested order.
public enum Limit: Hashable, Sendable {
  /// No limit.
  case noLimit
  /// At most this number of objects; none if it is 0 or negative.
  case limit(_: Int)

  /// The maximum number, never negative; nil for no limit.
  package var count: Int? {
    switch self {
    case .noLimit: nil
    case .limit(let count): max(count, 0)
    }
  }
}

/// The order of two objects by one key.
public enum SortingOrder: Hashable, Sendable {
  /// The left key is smaller, or only the left object has none.
  case ascending
  /// The keys are equal, or neither object has one.
  case same
  /// The left key is greater, or only the right object has none.
  case descending
}

/// One sort key of a query: `Post.priority.descending`, or `["high", "low"].firstIndex(of: Post.level)`.
///
/// Objects with equal keys are in the order of their insertion, even if a key is descending.
public final class OrderBy<Element: Atom>: Sendable {
  /// The name of the field's column: `__pk0` and so on for the primary key, otherwise its path.
  public let name: String
  package let order: QueryOrder

  init(_ order: QueryOrder, name: String) {
    self.order = order
    self.name = name
  }

  /// The direction of the key: `.ascending` or `.descending`.
  public var sortingOrder: SortingOrder { order.isDescending ? .descending : .ascending }

  /// Compares the keys of two objects, regardless of the direction.
  ///
  /// An object that can't be encoded counts as having no key; a fetched object always can.
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
  /// Sorts by the first index of a field's value in this collection. Objects whose value is not in it, and objects
  /// without a value, come first.
  ///
  ///     workspace.fetch(for: Post.self).all(orderBy: [[Color.green, .red, .blue].firstIndex(of: Post.color)])
  public func firstIndex<AtomElement: Atom>(of field: FieldExpr<Element, AtomElement>) -> OrderBy<AtomElement> {
    OrderBy(QueryOrder(ranks: map { $0._queryValue }, keepingFirst: true, of: field.field), name: field.name)
  }

  /// Sorts by the last index of a field's value in this collection. Objects whose value is not in it, and objects
  /// without a value, come first.
  public func lastIndex<AtomElement: Atom>(of field: FieldExpr<Element, AtomElement>) -> OrderBy<AtomElement> {
    OrderBy(QueryOrder(ranks: map { $0._queryValue }, keepingFirst: false, of: field.field), name: field.name)
  }
}

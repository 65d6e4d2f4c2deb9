/// An expression over the fields of an entity, with the type of its value, such as `Post.priority + 1 > 3`.
///
/// Logic has three values. A missing field (an optional one without a value, or one of an absent struct, table or union
/// member) is unknown. So is every expression of it, except `isNull`, `isNotNull`, and an expression that its other
/// operand decides: `false && unknown` is false. Overflow and division by zero are unknown, too. A query returns the
/// objects for which its predicate is true.
///
/// Text is always compared by its UTF-8 bytes. Floating-point numbers compare as in Swift: NaN equals nothing, and is
/// neither less nor greater than anything.
public protocol Expr<ResultType, Element>: Sendable {
  /// The type of the expression's value.
  associatedtype ResultType
  /// The type of the entity.
  associatedtype Element: Atom

  /// The expression without its static types.
  var _expression: QueryExpression { get }
}

/// An expression that can be evaluated on stored objects, as every expression can.
public typealias SQLiteExpr = Expr

/// An expression without its static types.
public struct QueryExpression: Sendable {
  package let node: QueryNode

  package init(_ node: QueryNode) { self.node = node }
}

extension Expr {
  var node: QueryNode { _expression.node }
}

/// An expression over the fields of an entity, with the type of its value. `Post.priority + 1 > 3` is one.
///
/// Logic has three values. A field that isn't there (an optional one without a value, one of a struct, a table or a
/// union's member that is absent) is unknown, and so is what is computed of it, but for `isNull`, `isNotNull`, and for what
/// the other operand decides: `false && unknown` is false. Overflow and division by zero are unknown too. A query gives the
/// objects for which its predicate is true.
///
/// Text is compared by its UTF-8 bytes, everywhere. Floats compare as in Swift: NaN equals nothing and is neither less nor
/// greater than anything.
public protocol Expr<ResultType, Element>: Sendable {
  associatedtype ResultType
  associatedtype Element: Atom

  /// The expression without its types.
  var _expression: QueryExpression { get }
}

/// What can be asked of stored objects. Every expression can.
public typealias SQLiteExpr = Expr

/// An expression without its types.
public struct QueryExpression: Sendable {
  package let node: QueryNode

  package init(_ node: QueryNode) { self.node = node }
}

extension Expr {
  var node: QueryNode { _expression.node }
}

/// An expression over the fields of an entity, with the type of its value. `Post.priority + 1 > 3` is one.
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

/// A constant as an expression.
public struct ValueExpr<T: DflatFriendlyValue, Element: Atom>: Expr {
  public typealias ResultType = T
  private let value: T

  init(_ value: T) { self.value = value }

  public var _expression: QueryExpression { QueryExpression(.constant(value._queryValue)) }
}

/// The expression of `==`.
public struct EqualToExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == R.ResultType, L.Element == Element, R.Element == Element {
  public typealias ResultType = Bool
  let left: L
  let right: R

  public var _expression: QueryExpression { QueryExpression(.comparison(.equal, left.node, right.node)) }
}

/// The expression of `!=`.
public struct NotEqualToExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == R.ResultType, L.Element == Element, R.Element == Element {
  public typealias ResultType = Bool
  let left: L
  let right: R

  public var _expression: QueryExpression { QueryExpression(.comparison(.notEqual, left.node, right.node)) }
}

/// The expression of `<`, and of `>` with its operands swapped.
public struct LessThanExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == R.ResultType, L.Element == Element, R.Element == Element {
  public typealias ResultType = Bool
  let left: L
  let right: R

  public var _expression: QueryExpression { QueryExpression(.comparison(.less, left.node, right.node)) }
}

/// The expression of `<=`, and of `>=` with its operands swapped.
public struct LessThanOrEqualToExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == R.ResultType, L.Element == Element, R.Element == Element {
  public typealias ResultType = Bool
  let left: L
  let right: R

  public var _expression: QueryExpression { QueryExpression(.comparison(.lessOrEqual, left.node, right.node)) }
}

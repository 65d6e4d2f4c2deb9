/// A constant.
public struct ValueExpr<T: DflatFriendlyValue, Element: Atom>: Expr {
  public typealias ResultType = T
  private let value: T

  init(_ value: T) { self.value = value }

  public var _expression: QueryExpression { QueryExpression(.constant(value._queryValue)) }
}

/// `==`
public struct EqualToExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == R.ResultType, L.Element == Element, R.Element == Element {
  public typealias ResultType = Bool
  let left: L
  let right: R

  public var _expression: QueryExpression {
    QueryExpression(.comparison(.equal, left._expression.node, right._expression.node))
  }
}

public func == <L: Expr>(
  left: L, right: L.ResultType
) -> EqualToExpr<L, ValueExpr<L.ResultType, L.Element>, L.Element> where L.ResultType: DflatFriendlyValue {
  EqualToExpr(left: left, right: ValueExpr(right))
}

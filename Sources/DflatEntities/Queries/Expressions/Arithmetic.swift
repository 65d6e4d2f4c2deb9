/// The expression of `+`.
public struct AdditionExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == R.ResultType, L.Element == Element, R.Element == Element, L.ResultType: DflatFriendlyValue {
  public typealias ResultType = L.ResultType
  let left: L
  let right: R

  public var _expression: QueryExpression {
    QueryExpression(.arithmetic(.add, left.node, right.node, ResultType._queryValueType))
  }
}

/// The expression of `-`.
public struct SubtractionExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == R.ResultType, L.Element == Element, R.Element == Element, L.ResultType: DflatFriendlyValue {
  public typealias ResultType = L.ResultType
  let left: L
  let right: R

  public var _expression: QueryExpression {
    QueryExpression(.arithmetic(.subtract, left.node, right.node, ResultType._queryValueType))
  }
}

/// The expression of `%`.
public struct ModExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == R.ResultType, L.Element == Element, R.Element == Element, L.ResultType: DflatFriendlyValue {
  public typealias ResultType = L.ResultType
  let left: L
  let right: R

  public var _expression: QueryExpression {
    QueryExpression(.arithmetic(.remainder, left.node, right.node, ResultType._queryValueType))
  }
}

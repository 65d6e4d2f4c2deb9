/// The expression of `&&`.
public struct AndExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == Bool, R.ResultType == Bool, L.Element == Element, R.Element == Element {
  public typealias ResultType = Bool
  let left: L
  let right: R

  public var _expression: QueryExpression { QueryExpression(.and(left.node, right.node)) }
}

/// The expression of `||`.
public struct OrExpr<L: Expr, R: Expr, Element: Atom>: Expr
where L.ResultType == Bool, R.ResultType == Bool, L.Element == Element, R.Element == Element {
  public typealias ResultType = Bool
  let left: L
  let right: R

  public var _expression: QueryExpression { QueryExpression(.or(left.node, right.node)) }
}

/// The expression of `!`.
public struct NotExpr<T: Expr, Element: Atom>: Expr where T.ResultType == Bool, T.Element == Element {
  public typealias ResultType = Bool
  let operand: T

  public var _expression: QueryExpression { QueryExpression(.not(operand.node)) }
}

/// Combines two conditions: true if both are true, false if one is false, otherwise unknown.
public func && <L: Expr, R: Expr>(left: L, right: R) -> AndExpr<L, R, L.Element>
where L.ResultType == Bool, R.ResultType == Bool, L.Element == R.Element {
  AndExpr(left: left, right: right)
}

/// Combines two conditions: true if both are true, false if one is false, otherwise unknown.
public func && <L: Expr>(left: L, right: Bool) -> AndExpr<L, ValueExpr<Bool, L.Element>, L.Element>
where L.ResultType == Bool {
  AndExpr(left: left, right: ValueExpr(right))
}

/// Combines two conditions: true if both are true, false if one is false, otherwise unknown.
public func && <R: Expr>(left: Bool, right: R) -> AndExpr<ValueExpr<Bool, R.Element>, R, R.Element>
where R.ResultType == Bool {
  AndExpr(left: ValueExpr(left), right: right)
}

/// Combines two conditions: true if one is true, false if both are false, otherwise unknown.
public func || <L: Expr, R: Expr>(left: L, right: R) -> OrExpr<L, R, L.Element>
where L.ResultType == Bool, R.ResultType == Bool, L.Element == R.Element {
  OrExpr(left: left, right: right)
}

/// Combines two conditions: true if one is true, false if both are false, otherwise unknown.
public func || <L: Expr>(left: L, right: Bool) -> OrExpr<L, ValueExpr<Bool, L.Element>, L.Element>
where L.ResultType == Bool {
  OrExpr(left: left, right: ValueExpr(right))
}

/// Combines two conditions: true if one is true, false if both are false, otherwise unknown.
public func || <R: Expr>(left: Bool, right: R) -> OrExpr<ValueExpr<Bool, R.Element>, R, R.Element>
where R.ResultType == Bool {
  OrExpr(left: ValueExpr(left), right: right)
}

/// Negates a condition. Unknown stays unknown: `!(Post.tag == "x")` doesn't match objects without a tag.
public prefix func ! <T: Expr>(operand: T) -> NotExpr<T, T.Element> where T.ResultType == Bool {
  NotExpr(operand: operand)
}

// Each operator has three forms: two expressions, an expression and a constant, a constant and an expression.

/// Tests if two expressions have the same value.
public func == <L: Expr, R: Expr>(left: L, right: R) -> EqualToExpr<L, R, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: DflatFriendlyValue {
  EqualToExpr(left: left, right: right)
}

/// Tests if two expressions have the same value.
public func == <L: Expr>(
  left: L, right: L.ResultType
) -> EqualToExpr<L, ValueExpr<L.ResultType, L.Element>, L.Element> where L.ResultType: DflatFriendlyValue {
  EqualToExpr(left: left, right: ValueExpr(right))
}

/// Tests if two expressions have the same value.
public func == <R: Expr>(
  left: R.ResultType, right: R
) -> EqualToExpr<ValueExpr<R.ResultType, R.Element>, R, R.Element> where R.ResultType: DflatFriendlyValue {
  EqualToExpr(left: ValueExpr(left), right: right)
}

/// Tests if two expressions have different values.
public func != <L: Expr, R: Expr>(left: L, right: R) -> NotEqualToExpr<L, R, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: DflatFriendlyValue {
  NotEqualToExpr(left: left, right: right)
}

/// Tests if two expressions have different values.
public func != <L: Expr>(
  left: L, right: L.ResultType
) -> NotEqualToExpr<L, ValueExpr<L.ResultType, L.Element>, L.Element> where L.ResultType: DflatFriendlyValue {
  NotEqualToExpr(left: left, right: ValueExpr(right))
}

/// Tests if two expressions have different values.
public func != <R: Expr>(
  left: R.ResultType, right: R
) -> NotEqualToExpr<ValueExpr<R.ResultType, R.Element>, R, R.Element> where R.ResultType: DflatFriendlyValue {
  NotEqualToExpr(left: ValueExpr(left), right: right)
}

/// Tests if the left value is less than the right one.
public func < <L: Expr, R: Expr>(left: L, right: R) -> LessThanExpr<L, R, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: DflatFriendlyValue {
  LessThanExpr(left: left, right: right)
}

/// Tests if the left value is less than the right one.
public func < <L: Expr>(
  left: L, right: L.ResultType
) -> LessThanExpr<L, ValueExpr<L.ResultType, L.Element>, L.Element> where L.ResultType: DflatFriendlyValue {
  LessThanExpr(left: left, right: ValueExpr(right))
}

/// Tests if the left value is less than the right one.
public func < <R: Expr>(
  left: R.ResultType, right: R
) -> LessThanExpr<ValueExpr<R.ResultType, R.Element>, R, R.Element> where R.ResultType: DflatFriendlyValue {
  LessThanExpr(left: ValueExpr(left), right: right)
}

/// Tests if the left value is less than or equal to the right one.
public func <= <L: Expr, R: Expr>(left: L, right: R) -> LessThanOrEqualToExpr<L, R, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: DflatFriendlyValue {
  LessThanOrEqualToExpr(left: left, right: right)
}

/// Tests if the left value is less than or equal to the right one.
public func <= <L: Expr>(
  left: L, right: L.ResultType
) -> LessThanOrEqualToExpr<L, ValueExpr<L.ResultType, L.Element>, L.Element> where L.ResultType: DflatFriendlyValue {
  LessThanOrEqualToExpr(left: left, right: ValueExpr(right))
}

/// Tests if the left value is less than or equal to the right one.
public func <= <R: Expr>(
  left: R.ResultType, right: R
) -> LessThanOrEqualToExpr<ValueExpr<R.ResultType, R.Element>, R, R.Element> where R.ResultType: DflatFriendlyValue {
  LessThanOrEqualToExpr(left: ValueExpr(left), right: right)
}

/// Tests if the left value is greater than the right one.
public func > <L: Expr, R: Expr>(left: L, right: R) -> LessThanExpr<R, L, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: DflatFriendlyValue {
  LessThanExpr(left: right, right: left)
}

/// Tests if the left value is greater than the right one.
public func > <L: Expr>(
  left: L, right: L.ResultType
) -> LessThanExpr<ValueExpr<L.ResultType, L.Element>, L, L.Element> where L.ResultType: DflatFriendlyValue {
  LessThanExpr(left: ValueExpr(right), right: left)
}

/// Tests if the left value is greater than the right one.
public func > <R: Expr>(
  left: R.ResultType, right: R
) -> LessThanExpr<R, ValueExpr<R.ResultType, R.Element>, R.Element> where R.ResultType: DflatFriendlyValue {
  LessThanExpr(left: right, right: ValueExpr(left))
}

/// Tests if the left value is greater than or equal to the right one.
public func >= <L: Expr, R: Expr>(left: L, right: R) -> LessThanOrEqualToExpr<R, L, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: DflatFriendlyValue {
  LessThanOrEqualToExpr(left: right, right: left)
}

/// Tests if the left value is greater than or equal to the right one.
public func >= <L: Expr>(
  left: L, right: L.ResultType
) -> LessThanOrEqualToExpr<ValueExpr<L.ResultType, L.Element>, L, L.Element> where L.ResultType: DflatFriendlyValue {
  LessThanOrEqualToExpr(left: ValueExpr(right), right: left)
}

/// Tests if the left value is greater than or equal to the right one.
public func >= <R: Expr>(
  left: R.ResultType, right: R
) -> LessThanOrEqualToExpr<R, ValueExpr<R.ResultType, R.Element>, R.Element> where R.ResultType: DflatFriendlyValue {
  LessThanOrEqualToExpr(left: right, right: ValueExpr(left))
}

/// Adds two numbers of the same type. Unknown on overflow.
public func + <L: Expr, R: Expr>(left: L, right: R) -> AdditionExpr<L, R, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: AdditiveArithmetic & DflatFriendlyValue {
  AdditionExpr(left: left, right: right)
}

/// Adds two numbers of the same type. Unknown on overflow.
public func + <L: Expr>(
  left: L, right: L.ResultType
) -> AdditionExpr<L, ValueExpr<L.ResultType, L.Element>, L.Element>
where L.ResultType: AdditiveArithmetic & DflatFriendlyValue {
  AdditionExpr(left: left, right: ValueExpr(right))
}

/// Adds two numbers of the same type. Unknown on overflow.
public func + <R: Expr>(
  left: R.ResultType, right: R
) -> AdditionExpr<ValueExpr<R.ResultType, R.Element>, R, R.Element>
where R.ResultType: AdditiveArithmetic & DflatFriendlyValue {
  AdditionExpr(left: ValueExpr(left), right: right)
}

/// Subtracts two numbers of the same type. Unknown on overflow.
public func - <L: Expr, R: Expr>(left: L, right: R) -> SubtractionExpr<L, R, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: AdditiveArithmetic & DflatFriendlyValue {
  SubtractionExpr(left: left, right: right)
}

/// Subtracts two numbers of the same type. Unknown on overflow.
public func - <L: Expr>(
  left: L, right: L.ResultType
) -> SubtractionExpr<L, ValueExpr<L.ResultType, L.Element>, L.Element>
where L.ResultType: AdditiveArithmetic & DflatFriendlyValue {
  SubtractionExpr(left: left, right: ValueExpr(right))
}

/// Subtracts two numbers of the same type. Unknown on overflow.
public func - <R: Expr>(
  left: R.ResultType, right: R
) -> SubtractionExpr<ValueExpr<R.ResultType, R.Element>, R, R.Element>
where R.ResultType: AdditiveArithmetic & DflatFriendlyValue {
  SubtractionExpr(left: ValueExpr(left), right: right)
}

/// Returns the remainder of a division, with the sign of the dividend. Unknown where Swift's `%` traps.
public func % <L: Expr, R: Expr>(left: L, right: R) -> ModExpr<L, R, L.Element>
where L.ResultType == R.ResultType, L.Element == R.Element, L.ResultType: BinaryInteger & DflatFriendlyValue {
  ModExpr(left: left, right: right)
}

/// Returns the remainder of a division, with the sign of the dividend. Unknown where Swift's `%` traps.
public func % <L: Expr>(
  left: L, right: L.ResultType
) -> ModExpr<L, ValueExpr<L.ResultType, L.Element>, L.Element> where L.ResultType: BinaryInteger & DflatFriendlyValue {
  ModExpr(left: left, right: ValueExpr(right))
}

/// Returns the remainder of a division, with the sign of the dividend. Unknown where Swift's `%` traps.
public func % <R: Expr>(
  left: R.ResultType, right: R
) -> ModExpr<ValueExpr<R.ResultType, R.Element>, R, R.Element> where R.ResultType: BinaryInteger & DflatFriendlyValue {
  ModExpr(left: ValueExpr(left), right: right)
}

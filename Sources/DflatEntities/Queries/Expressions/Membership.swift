/// The expression of `isNull`.
public struct IsNullExpr<T: Expr, Element: Atom>: Expr where T.Element == Element {
  public typealias ResultType = Bool
  let operand: T

  public var _expression: QueryExpression { QueryExpression(.isNull(operand.node)) }
}

/// The expression of `isNotNull`.
public struct IsNotNullExpr<T: Expr, Element: Atom>: Expr where T.Element == Element {
  public typealias ResultType = Bool
  let operand: T

  public var _expression: QueryExpression { QueryExpression(.not(.isNull(operand.node))) }
}

/// The expression of `in`.
public struct InExpr<T: Expr, Element: Atom>: Expr where T.Element == Element, T.ResultType: DflatFriendlyValue {
  public typealias ResultType = Bool
  let operand: T
  let values: Set<QueryValue>

  public var _expression: QueryExpression { QueryExpression(.isIn(operand.node, values)) }
}

/// The expression of `notIn`.
public struct NotInExpr<T: Expr, Element: Atom>: Expr where T.Element == Element, T.ResultType: DflatFriendlyValue {
  public typealias ResultType = Bool
  let operand: T
  let values: Set<QueryValue>

  public var _expression: QueryExpression { QueryExpression(.not(.isIn(operand.node, values))) }
}

/// The expression of `between`.
public struct BetweenExpr<T: Expr, Element: Atom>: Expr where T.Element == Element, T.ResultType: DflatFriendlyValue {
  public typealias ResultType = Bool
  let operand: T
  let lower: T.ResultType
  let upper: T.ResultType

  public var _expression: QueryExpression {
    let node = operand.node
    return QueryExpression(
      .and(
        .comparison(.lessOrEqual, .constant(lower._queryValue), node),
        .comparison(.lessOrEqual, node, .constant(upper._queryValue))))
  }
}

extension Expr {
  /// True if there is no value; never unknown. For a condition, true if the condition is unknown.
  public var isNull: IsNullExpr<Self, Element> { IsNullExpr(operand: self) }

  /// True if there is a value; never unknown.
  public var isNotNull: IsNotNullExpr<Self, Element> { IsNotNullExpr(operand: self) }
}

/// Tests if there is no value: `Post.tag == nil`.
///
/// For the opposite, use `Post.tag != nil`. In `condition && !(Post.tag == nil)` the compiler chooses Swift's own
/// comparison of optionals, and warns that it "always returns false".
public func == <T: Expr>(left: T, right: _OptionalNilComparisonType) -> IsNullExpr<T, T.Element> { left.isNull }

/// Tests if there is a value: `Post.tag != nil`.
public func != <T: Expr>(left: T, right: _OptionalNilComparisonType) -> IsNotNullExpr<T, T.Element> { left.isNotNull }

extension Expr where ResultType: DflatFriendlyValue {
  /// Tests if the value is one of any number of values. Unknown if there is no value; otherwise false for an empty
  /// list.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.title.in(["first", "second"]))
  public func `in`<S: Sequence>(_ values: S) -> InExpr<Self, Element> where S.Element == ResultType {
    InExpr(operand: self, values: Set(values.lazy.map { $0._queryValue }))
  }

  /// Tests if the value is none of these. Unknown if there is no value.
  public func notIn<S: Sequence>(_ values: S) -> NotInExpr<Self, Element> where S.Element == ResultType {
    NotInExpr(operand: self, values: Set(values.lazy.map { $0._queryValue }))
  }

  /// Tests if the value is at least `lower` and at most `upper`. Never true if `lower` is greater than `upper`.
  public func between(_ lower: ResultType, and upper: ResultType) -> BetweenExpr<Self, Element> {
    BetweenExpr(operand: self, lower: lower, upper: upper)
  }

  /// Tests if the value is in a range: `Post.priority.between(1...3)`.
  public func between(_ range: ClosedRange<ResultType>) -> BetweenExpr<Self, Element> {
    BetweenExpr(operand: self, lower: range.lowerBound, upper: range.upperBound)
  }
}

/// `isNull`
public struct IsNullExpr<T: Expr, Element: Atom>: Expr where T.Element == Element {
  public typealias ResultType = Bool
  let operand: T

  public var _expression: QueryExpression { QueryExpression(.isNull(operand.node)) }
}

/// `isNotNull`
public struct IsNotNullExpr<T: Expr, Element: Atom>: Expr where T.Element == Element {
  public typealias ResultType = Bool
  let operand: T

  public var _expression: QueryExpression { QueryExpression(.not(.isNull(operand.node))) }
}

/// `in`
public struct InExpr<T: Expr, Element: Atom>: Expr where T.Element == Element, T.ResultType: DflatFriendlyValue {
  public typealias ResultType = Bool
  let operand: T
  let values: Set<QueryValue>

  public var _expression: QueryExpression { QueryExpression(.isIn(operand.node, values)) }
}

/// `notIn`
public struct NotInExpr<T: Expr, Element: Atom>: Expr where T.Element == Element, T.ResultType: DflatFriendlyValue {
  public typealias ResultType = Bool
  let operand: T
  let values: Set<QueryValue>

  public var _expression: QueryExpression { QueryExpression(.not(.isIn(operand.node, values))) }
}

/// `hasPrefix`
public struct HasPrefixExpr<T: Expr, Element: Atom>: Expr where T.Element == Element, T.ResultType == String {
  public typealias ResultType = Bool
  let operand: T
  let prefix: String

  public var _expression: QueryExpression { QueryExpression(.hasPrefix(operand.node, prefix)) }
}

/// `between`
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
  /// Whether there is no value. Never unknown; of a condition it says whether that is unknown.
  public var isNull: IsNullExpr<Self, Element> { IsNullExpr(operand: self) }

  /// Whether there is a value.
  public var isNotNull: IsNotNullExpr<Self, Element> { IsNotNullExpr(operand: self) }
}

/// Whether there is no value: `Post.tag == nil`.
///
/// Its opposite is `Post.tag != nil`. In `condition && !(Post.tag == nil)` the compiler takes Swift's own comparison of
/// optionals, as the warning says that it gives: "always returns false".
public func == <T: Expr>(left: T, right: _OptionalNilComparisonType) -> IsNullExpr<T, T.Element> { left.isNull }

/// Whether there is a value: `Post.tag != nil`.
public func != <T: Expr>(left: T, right: _OptionalNilComparisonType) -> IsNotNullExpr<T, T.Element> { left.isNotNull }

extension Expr where ResultType: DflatFriendlyValue {
  /// Whether the value is one of these, of which there may be any number. Unknown without a value; false for no values.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.title.in(["first", "second"]))
  public func `in`<S: Sequence>(_ values: S) -> InExpr<Self, Element> where S.Element == ResultType {
    InExpr(operand: self, values: Set(values.lazy.map { $0._queryValue }))
  }

  /// Whether the value is none of these. Unknown without a value.
  public func notIn<S: Sequence>(_ values: S) -> NotInExpr<Self, Element> where S.Element == ResultType {
    NotInExpr(operand: self, values: Set(values.lazy.map { $0._queryValue }))
  }

  /// Whether the value is at least `lower` and at most `upper`; never, if `lower` is greater.
  public func between(_ lower: ResultType, and upper: ResultType) -> BetweenExpr<Self, Element> {
    BetweenExpr(operand: self, lower: lower, upper: upper)
  }

  /// Whether the value is in a range: `Post.priority.between(1...3)`.
  public func between(_ range: ClosedRange<ResultType>) -> BetweenExpr<Self, Element> {
    BetweenExpr(operand: self, lower: range.lowerBound, upper: range.upperBound)
  }
}

extension Expr where ResultType == String {
  /// Whether the text begins with these UTF-8 bytes. Every text begins with none.
  public func hasPrefix(_ prefix: String) -> HasPrefixExpr<Self, Element> {
    HasPrefixExpr(operand: self, prefix: prefix)
  }
}

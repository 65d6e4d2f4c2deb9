package import DflatSupport

/// An expression over an entity's fields, without its static types: the form that is compiled, planned and matched.
///
/// Logic has three values. Null is unknown. So is every expression of it, except `isNull`, and an expression that its
/// other operand decides (`false && unknown` is false). Overflow and division by zero are unknown, too.
package indirect enum QueryNode: Hashable, Sendable {
  case constant(QueryValue)
  case field(QueryField)
  /// The operands and the result have this type.
  case arithmetic(Arithmetic, QueryNode, QueryNode, QueryValueType)
  /// The operands have the same type.
  case comparison(Comparison, QueryNode, QueryNode)
  case and(QueryNode, QueryNode)
  case or(QueryNode, QueryNode)
  case not(QueryNode)
  /// Never unknown.
  case isNull(QueryNode)
  case isIn(QueryNode, Set<QueryValue>)
  case hasPrefix(QueryNode, String)
  case matches(QueryNode, TextPattern)
  /// A full-text search. Unknown if none of its fields has a text.
  case search(SearchMatch)
  /// True if a vector has an element; unknown if the vector's table is absent. Texts are equal if their lower cases
  /// are, if case is ignored.
  case hasElement(VectorPath, QueryValue, ignoresCase: Bool)
  /// Unknown if the vector's table is absent.
  case isEmpty(VectorPath)

  package enum Arithmetic: Sendable { case add, subtract, remainder }
  package enum Comparison: Sendable { case equal, notEqual, less, lessOrEqual }
}

/// A field in an expression.
package struct QueryField: Hashable, Sendable {
  package let path: FieldPath
  /// The field's position in the primary key.
  package let keyPosition: Int?

  package init(_ path: FieldPath, keyPosition: Int? = nil) {
    self.path = path
    self.keyPosition = keyPosition
  }
}

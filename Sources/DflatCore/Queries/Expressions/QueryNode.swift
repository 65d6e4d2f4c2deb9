/// An expression over an entity's fields, without its types: what is compiled, planned and matched.
///
/// Logic has three values. Null is unknown; what is computed of it is unknown too, but for `isNull`, and for what the
/// other operand decides (`false && unknown` is false). So are overflow and division by zero.
package indirect enum QueryNode: Hashable, Sendable {
  case constant(QueryValue)
  case field(QueryField)
  /// Operands and result have the type.
  case arithmetic(Arithmetic, QueryNode, QueryNode, QueryValueType)
  /// Operands have one type.
  case comparison(Comparison, QueryNode, QueryNode)
  case and(QueryNode, QueryNode)
  case or(QueryNode, QueryNode)
  case not(QueryNode)
  /// Never unknown.
  case isNull(QueryNode)
  case isIn(QueryNode, Set<QueryValue>)
  case hasPrefix(QueryNode, String)

  package enum Arithmetic: Sendable { case add, subtract, remainder }
  package enum Comparison: Sendable { case equal, notEqual, less, lessOrEqual }
}

/// A field in an expression.
package struct QueryField: Hashable, Sendable {
  package let path: FieldPath
  /// Its place in the primary key.
  package let keyPosition: Int?

  package init(_ path: FieldPath, keyPosition: Int? = nil) {
    self.path = path
    self.keyPosition = keyPosition
  }
}

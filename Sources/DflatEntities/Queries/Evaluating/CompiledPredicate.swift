package import DflatBuffers

/// A predicate compiled for evaluation on the bytes of many objects. The evaluation allocates nothing and creates no
/// strings.
package struct CompiledPredicate: Sendable {
  private let matcher: any Matcher

  package init(_ node: QueryNode) { matcher = PredicateCompiler.matcher(node) }

  /// Returns true if the predicate is true for an object, neither false nor unknown.
  ///
  /// - Throws: `FlatBufferError` if data that the predicate reads is damaged.
  package func matches(_ bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Bool {
    try matches(FlatBufferTable(rootOf: bytes))
  }

  /// Returns true if the predicate is true for an object, neither false nor unknown.
  ///
  /// - Throws: `FlatBufferError` if data that the predicate reads is damaged.
  package func matches(_ root: FlatBufferTable) throws(FlatBufferError) -> Bool {
    try matcher.truth(of: root) == .yes
  }
}

/// An expression of any type, compiled for evaluation on the bytes of objects.
struct CompiledExpression: Sendable {
  private enum Form {
    case bits(any ScalarOperand, QueryValueType)
    case text(any TextOperand)
    case null
  }

  private let form: Form

  init(_ node: QueryNode, type: QueryValueType) {
    form =
      switch PredicateCompiler.operand(node) {
      case .integer(let operand), .real(let operand): .bits(operand, type)
      case .text(let operand): .text(operand)
      case .null: .null
      }
  }

  func value(in root: FlatBufferTable) throws(FlatBufferError) -> QueryValue {
    switch form {
    case .bits(let operand, let type):
      guard let bits = try operand.bits(in: root) else { return .null }
      return QueryValue(bits: bits, of: type)
    case .text(let operand):
      guard let bytes = try operand.text(in: root) else { return .null }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw FlatBufferError(.invalidUTF8) }
      return .text(text)
    case .null: return .null
    }
  }
}

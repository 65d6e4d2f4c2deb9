package import DflatBuffers

/// A predicate made ready to be asked of many objects' bytes. It allocates nothing and makes no text.
package struct CompiledPredicate: Sendable {
  private let matcher: any Matcher

  package init(_ node: QueryNode) { matcher = Compiling.matcher(node) }

  /// Whether the predicate is definitely true of an object.
  ///
  /// - Throws: `FlatBufferError` where what the predicate reads is damaged.
  package func matches(_ bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Bool {
    try matches(FlatBufferTable(rootOf: bytes))
  }

  /// Whether the predicate is definitely true of an object.
  package func matches(_ root: FlatBufferTable) throws(FlatBufferError) -> Bool {
    try matcher.truth(of: root) == .yes
  }
}

/// An expression of any type, made ready to be evaluated on objects' bytes.
struct CompiledExpression: Sendable {
  private enum Form {
    case word(any WordOperand, QueryValueType)
    case text(any TextOperand)
    case null
  }

  private let form: Form

  init(_ node: QueryNode, type: QueryValueType) {
    form =
      switch Compiling.operand(node) {
      case .integer(let operand), .real(let operand): .word(operand, type)
      case .text(let operand): .text(operand)
      case .null: .null
      }
  }

  func value(in root: FlatBufferTable) throws(FlatBufferError) -> QueryValue {
    switch form {
    case .word(let operand, let type):
      guard let word = try operand.word(in: root) else { return .null }
      return QueryValue(word: word, of: type)
    case .text(let operand):
      guard let bytes = try operand.text(in: root) else { return .null }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw FlatBufferError(.invalidUTF8) }
      return .text(text)
    case .null: return .null
    }
  }
}

/// Compiles expressions into matchers: the predicate compiler.
enum Compiling {
  enum Operand {
    case integer(any WordOperand)
    case real(any WordOperand)
    case text(any TextOperand)
    /// Null of any type.
    case null
  }

  static func matcher(_ node: QueryNode) -> any Matcher {
    switch node {
    case .constant(let value):
      guard let word = Word.of(value) else { return ConstantTruth(.unknown) }
      return ConstantTruth(Truth(word == Word.yes))
    case .field(let field): return WordTruth(FieldWord(PathReader(field.path)))
    case .arithmetic: return ConstantTruth(.unknown)  // no arithmetic returns a Bool
    case .comparison(let comparison, let left, let right): return matcher(comparison, left, right)
    case .and(let left, let right): return Conjunction(matcher(left), matcher(right))
    case .or(let left, let right): return Disjunction(matcher(left), matcher(right))
    case .not(let operand): return Negation(matcher(operand))
    case .isNull(let node):
      switch operand(node) {
      case .integer(let operand), .real(let operand): return NullWord(operand)
      case .text(let operand): return NullText(operand)
      case .null: return ConstantTruth(.yes)
      }
    case .isIn(let node, let values):
      switch operand(node) {
      case .integer(let operand): return WordMembership(operand, isReal: false, in: values)
      case .real(let operand): return WordMembership(operand, isReal: true, in: values)
      case .text(let operand): return TextMembership(operand, in: values)
      case .null: return ConstantTruth(.unknown)
      }
    case .hasPrefix(let node, let prefix):
      guard case .text(let operand) = operand(node) else { return ConstantTruth(.unknown) }
      return TextPrefix(operand, prefix)
    }
  }

  private static func matcher(
    _ comparison: QueryNode.Comparison, _ left: QueryNode, _ right: QueryNode
  ) -> any Matcher {
    switch (operand(left), operand(right)) {
    case (.integer(let left as FieldWord), .integer(let right as ConstantWord)):
      guard let constant = right.value else { return ConstantTruth(.unknown) }
      return FieldWordComparison(comparison, left.reader, constant, isFieldRight: false)
    case (.integer(let left as ConstantWord), .integer(let right as FieldWord)):
      guard let constant = left.value else { return ConstantTruth(.unknown) }
      return FieldWordComparison(comparison, right.reader, constant, isFieldRight: true)
    case (.integer(let left), .integer(let right)): return WordComparison(comparison, left, right)
    case (.real(let left), .real(let right)): return RealComparison(comparison, left, right)
    case (.text(let left), .text(let right)): return TextComparison(comparison, left, right)
    default: return ConstantTruth(.unknown)
    }
  }

  static func operand(_ node: QueryNode) -> Operand {
    switch node {
    case .constant(.null): return .null
    case .constant(.text(let text)): return .text(ConstantText(text))
    case .constant(.real(let value)): return .real(ConstantWord(value.bitPattern))
    case .constant(let value): return .integer(ConstantWord(Word.of(value)))
    case .field(let field):
      let reader = PathReader(field.path)
      if reader.isText { return .text(FieldText(reader)) }
      return reader.isReal ? .real(FieldWord(reader)) : .integer(FieldWord(reader))
    case .arithmetic(let operation, let left, let right, let type):
      switch (operand(left), operand(right)) {
      case (.integer(let left), .integer(let right)):
        return .integer(ArithmeticWord(operation, left, right, type: type))
      case (.real(let left), .real(let right)): return .real(ArithmeticWord(operation, left, right, type: type))
      default: return .null
      }
    case .comparison, .and, .or, .not, .isNull, .isIn, .hasPrefix: return .integer(TruthWord(matcher(node)))
    }
  }
}

import DflatSupport

/// Compiles expressions into matchers: the predicate compiler.
enum PredicateCompiler {
  enum Operand {
    case integer(any ScalarOperand)
    case real(any ScalarOperand)
    case text(any TextOperand)
    /// Null of any type.
    case null
  }

  static func matcher(_ node: QueryNode) -> any Matcher {
    switch node {
    case .constant(let value):
      guard let bits = ScalarBits.of(value) else { return ConstantTruth(.unknown) }
      return ConstantTruth(Truth(bits == ScalarBits.yes))
    case .field(let field): return BoolCondition(FieldScalar(PathReader(field.path)))
    case .arithmetic: return ConstantTruth(.unknown)  // no arithmetic returns a Bool
    // Comparisons and logic.
    case .comparison(let comparison, let left, let right): return matcher(comparison, left, right)
    case .and(let left, let right): return Conjunction(matcher(left), matcher(right))
    case .or(let left, let right): return Disjunction(matcher(left), matcher(right))
    case .not(let operand): return Negation(matcher(operand))
    // Tests of one operand, by its type.
    case .isNull(let node):
      switch operand(node) {
      case .integer(let operand), .real(let operand): return NullScalar(operand)
      case .text(let operand): return NullText(operand)
      case .null: return ConstantTruth(.yes)
      }
    case .isIn(let node, let values):
      switch operand(node) {
      case .integer(let operand): return ScalarMembership(operand, isReal: false, in: values)
      case .real(let operand): return ScalarMembership(operand, isReal: true, in: values)
      case .text(let operand): return TextMembership(operand, in: values)
      case .null: return ConstantTruth(.unknown)
      }
    case .hasPrefix(let node, let prefix):
      guard case .text(let operand) = operand(node) else { return ConstantTruth(.unknown) }
      return TextPrefix(operand, prefix)
    case .matches(let node, let pattern):
      guard case .text(let operand) = operand(node) else { return ConstantTruth(.unknown) }
      return TextPatternMatch(operand, pattern)
    case .search(let match): return SearchMatcher(match)
    case .hasElement(let path, let value, let ignoresCase): return matcher(path, value, ignoresCase: ignoresCase)
    case .isEmpty(let path): return EmptyVector(VectorReader(path))
    }
  }

  private static func matcher(_ path: VectorPath, _ value: QueryValue, ignoresCase: Bool) -> any Matcher {
    let reader = VectorReader(path)
    if case .text(let text) = value {
      return TextElement(reader, TextPattern(text, at: .whole, ignoringCase: ignoresCase))
    }
    if case .real(let real) = value { return RealElement(reader, real) }
    guard let bits = ScalarBits.of(value) else { return ConstantTruth(.unknown) }
    return ScalarElement(reader, bits)
  }

  private static func matcher(
    _ comparison: QueryNode.Comparison, _ left: QueryNode, _ right: QueryNode
  ) -> any Matcher {
    switch (operand(left), operand(right)) {
    case (.integer(let left as FieldScalar), .integer(let right as ConstantScalar)):
      guard let constant = right.value else { return ConstantTruth(.unknown) }
      return FieldConstantComparison(comparison, left.reader, constant, isFieldRight: false)
    case (.integer(let left as ConstantScalar), .integer(let right as FieldScalar)):
      guard let constant = left.value else { return ConstantTruth(.unknown) }
      return FieldConstantComparison(comparison, right.reader, constant, isFieldRight: true)
    case (.integer(let left), .integer(let right)): return ScalarComparison(comparison, left, right)
    case (.real(let left), .real(let right)): return RealComparison(comparison, left, right)
    case (.text(let left), .text(let right)): return TextComparison(comparison, left, right)
    default: return ConstantTruth(.unknown)
    }
  }

  static func operand(_ node: QueryNode) -> Operand {
    switch node {
    case .constant(.null): return .null
    case .constant(.text(let text)): return .text(ConstantText(text))
    case .constant(.real(let value)): return .real(ConstantScalar(value.bitPattern))
    case .constant(let value): return .integer(ConstantScalar(ScalarBits.of(value)))
    case .field(let field):
      let reader = PathReader(field.path)
      if reader.isText { return .text(FieldText(reader)) }
      return reader.isReal ? .real(FieldScalar(reader)) : .integer(FieldScalar(reader))
    case .arithmetic(let operation, let left, let right, let type):
      switch (operand(left), operand(right)) {
      case (.integer(let left), .integer(let right)):
        return .integer(ArithmeticScalar(operation, left, right, type: type))
      case (.real(let left), .real(let right)): return .real(ArithmeticScalar(operation, left, right, type: type))
      default: return .null
      }
    case .comparison, .and, .or, .not, .isNull, .isIn, .hasPrefix, .matches, .search, .hasElement, .isEmpty:
      return .integer(TruthScalar(matcher(node)))
    }
  }
}

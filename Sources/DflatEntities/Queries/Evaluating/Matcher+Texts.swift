import DflatBuffers
import DflatSupport

/// A comparison of texts.
final class TextComparison: Matcher {
  let comparison: QueryNode.Comparison
  let left: any TextOperand
  let right: any TextOperand

  init(_ comparison: QueryNode.Comparison, _ left: any TextOperand, _ right: any TextOperand) {
    self.comparison = comparison
    self.left = left
    self.right = right
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let left = try left.text(in: row), let right = try right.text(in: row) else { return .unknown }
    return Truth(comparison.holds(left, right))
  }
}

final class TextPrefix: Matcher {
  let operand: any TextOperand
  let prefix: TextBytes

  init(_ operand: any TextOperand, _ prefix: String) {
    self.operand = operand
    self.prefix = TextBytes(prefix)
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let text = try operand.text(in: row) else { return .unknown }
    return Truth(text.begins(with: prefix.bytes))
  }
}

/// A search for a text in others, and tests that ignore case.
final class TextPatternMatch: Matcher {
  let operand: any TextOperand
  let pattern: TextPattern

  init(_ operand: any TextOperand, _ pattern: TextPattern) {
    self.operand = operand
    self.pattern = pattern
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let text = try operand.text(in: row) else { return .unknown }
    return Truth(pattern.matches(text))
  }
}

final class TextMembership: Matcher {
  let operand: any TextOperand
  let values: ValueTable

  init(_ operand: any TextOperand, in values: Set<QueryValue>) {
    self.operand = operand
    self.values = ValueTable(values)
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let text = try operand.text(in: row) else { return .unknown }
    return Truth(values.number(of: text) != nil)
  }
}

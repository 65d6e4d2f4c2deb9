import DflatBuffers

/// A comparison of integers.
final class WordComparison: Matcher {
  let comparison: QueryNode.Comparison
  let left: any WordOperand
  let right: any WordOperand

  init(_ comparison: QueryNode.Comparison, _ left: any WordOperand, _ right: any WordOperand) {
    self.comparison = comparison
    self.left = left
    self.right = right
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let left = try left.word(in: row), let right = try right.word(in: row) else { return .unknown }
    return Truth(comparison.holds(left, right))
  }
}

/// A comparison of an integer field with a constant, the most frequent comparison.
final class FieldWordComparison: Matcher {
  let comparison: QueryNode.Comparison
  let reader: PathReader
  let constant: UInt64
  let isFieldRight: Bool

  init(_ comparison: QueryNode.Comparison, _ reader: PathReader, _ constant: UInt64, isFieldRight: Bool) {
    self.comparison = comparison
    self.reader = reader
    self.constant = constant
    self.isFieldRight = isFieldRight
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let word = try reader.word(in: row) else { return .unknown }
    return Truth(isFieldRight ? comparison.holds(constant, word) : comparison.holds(word, constant))
  }
}

/// A comparison of floating-point numbers.
final class RealComparison: Matcher {
  let comparison: QueryNode.Comparison
  let left: any WordOperand
  let right: any WordOperand

  init(_ comparison: QueryNode.Comparison, _ left: any WordOperand, _ right: any WordOperand) {
    self.comparison = comparison
    self.left = left
    self.right = right
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let left = try left.word(in: row), let right = try right.word(in: row) else { return .unknown }
    return Truth(comparison.holds(Double(bitPattern: left), Double(bitPattern: right)))
  }
}

final class WordMembership: Matcher {
  let operand: any WordOperand
  let isReal: Bool
  let values: ValueTable

  init(_ operand: any WordOperand, isReal: Bool, in values: Set<QueryValue>) {
    self.operand = operand
    self.isReal = isReal
    self.values = ValueTable(values)
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let word = try operand.word(in: row) else { return .unknown }
    if !isReal { return Truth(values.number(of: word) != nil) }
    let real = Double(bitPattern: word)
    return Truth(!real.isNaN && values.number(of: real.orderedWord) != nil)
  }
}

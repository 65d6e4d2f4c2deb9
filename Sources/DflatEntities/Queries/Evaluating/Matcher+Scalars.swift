import DflatBuffers

/// A comparison of integers.
final class ScalarComparison: Matcher {
  let comparison: QueryNode.Comparison
  let left: any ScalarOperand
  let right: any ScalarOperand

  init(_ comparison: QueryNode.Comparison, _ left: any ScalarOperand, _ right: any ScalarOperand) {
    self.comparison = comparison
    self.left = left
    self.right = right
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let left = try left.bits(in: row), let right = try right.bits(in: row) else { return .unknown }
    return Truth(comparison.holds(left, right))
  }
}

/// A comparison of an integer field with a constant, the most frequent comparison.
final class FieldConstantComparison: Matcher {
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
    guard let bits = try reader.bits(in: row) else { return .unknown }
    return Truth(isFieldRight ? comparison.holds(constant, bits) : comparison.holds(bits, constant))
  }
}

/// A comparison of floating-point numbers.
final class RealComparison: Matcher {
  let comparison: QueryNode.Comparison
  let left: any ScalarOperand
  let right: any ScalarOperand

  init(_ comparison: QueryNode.Comparison, _ left: any ScalarOperand, _ right: any ScalarOperand) {
    self.comparison = comparison
    self.left = left
    self.right = right
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let left = try left.bits(in: row), let right = try right.bits(in: row) else { return .unknown }
    return Truth(comparison.holds(Double(bitPattern: left), Double(bitPattern: right)))
  }
}

final class ScalarMembership: Matcher {
  let operand: any ScalarOperand
  let isReal: Bool
  let values: ValueTable

  init(_ operand: any ScalarOperand, isReal: Bool, in values: Set<QueryValue>) {
    self.operand = operand
    self.isReal = isReal
    self.values = ValueTable(values)
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let bits = try operand.bits(in: row) else { return .unknown }
    if !isReal { return Truth(values.number(of: bits) != nil) }
    let real = Double(bitPattern: bits)
    return Truth(!real.isNaN && values.number(of: real.orderedBits) != nil)
  }
}

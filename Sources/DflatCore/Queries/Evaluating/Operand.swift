import DflatBuffers

/// A numeric expression that is evaluated on stored bytes. Its value is in the 64-bit form of `Word`; nil is null or
/// unknown.
protocol WordOperand: AnyObject, Sendable {
  func word(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64?
}

/// A text expression that is evaluated on stored bytes; nil is null. The bytes are valid as long as the row and the
/// operand.
protocol TextOperand: AnyObject, Sendable {
  func text(in row: FlatBufferTable) throws(FlatBufferError) -> UnsafeRawBufferPointer?
}

final class FieldWord: WordOperand {
  let reader: PathReader

  init(_ reader: PathReader) { self.reader = reader }

  func word(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64? { try reader.word(in: row) }
}

final class ConstantWord: WordOperand {
  let value: UInt64?

  init(_ value: UInt64?) { self.value = value }

  func word(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64? { value }
}

/// A condition as a `Bool` value.
final class TruthWord: WordOperand {
  let matcher: any Matcher

  init(_ matcher: any Matcher) { self.matcher = matcher }

  func word(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64? {
    switch try matcher.truth(of: row) {
    case .yes: Word.yes
    case .no: Word.no
    case .unknown: nil
    }
  }
}

final class ArithmeticWord: WordOperand {
  let operation: QueryNode.Arithmetic
  let type: QueryValueType
  let left: any WordOperand
  let right: any WordOperand

  init(_ operation: QueryNode.Arithmetic, _ left: any WordOperand, _ right: any WordOperand, type: QueryValueType) {
    self.operation = operation
    self.left = left
    self.right = right
    self.type = type
  }

  func word(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64? {
    guard let left = try left.word(in: row), let right = try right.word(in: row) else { return nil }
    switch type {
    case .int8: return integers(left, right, as: Int8.self)
    case .uint8: return integers(left, right, as: UInt8.self)
    case .int16: return integers(left, right, as: Int16.self)
    case .uint16: return integers(left, right, as: UInt16.self)
    case .int32: return integers(left, right, as: Int32.self)
    case .uint32: return integers(left, right, as: UInt32.self)
    case .int64: return integers(left, right, as: Int64.self)
    case .uint64: return calculate(left, right)
    case .float:
      let (left, right) = (Float(Double(bitPattern: left)), Float(Double(bitPattern: right)))
      return reals(left, right).map { Double($0).bitPattern }
    case .double: return reals(Double(bitPattern: left), Double(bitPattern: right))?.bitPattern
    case .bool, .string: return nil
    }
  }

  private func integers<T: FixedWidthInteger>(_ left: UInt64, _ right: UInt64, as type: T.Type) -> UInt64? {
    calculate(T(truncatingIfNeeded: Word.signed(left)), T(truncatingIfNeeded: Word.signed(right))).map {
      Word.of(Int64($0))
    }
  }

  /// Returns nil if the type can't represent the result.
  @inline(__always)
  private func calculate<T: FixedWidthInteger>(_ left: T, _ right: T) -> T? {
    let (result, isOverflow) =
      switch operation {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .remainder: left.remainderReportingOverflow(dividingBy: right)
      }
    return isOverflow ? nil : result
  }

  private func reals<T: BinaryFloatingPoint>(_ left: T, _ right: T) -> T? {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    case .remainder: nil
    }
  }
}

final class FieldText: TextOperand {
  let reader: PathReader

  init(_ reader: PathReader) { self.reader = reader }

  func text(in row: FlatBufferTable) throws(FlatBufferError) -> UnsafeRawBufferPointer? { try reader.text(in: row) }
}

final class ConstantText: TextOperand {
  let value: TextBytes

  init(_ value: String) { self.value = TextBytes(value) }

  func text(in row: FlatBufferTable) throws(FlatBufferError) -> UnsafeRawBufferPointer? { value.bytes }
}

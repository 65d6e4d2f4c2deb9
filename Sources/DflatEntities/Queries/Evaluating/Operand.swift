import DflatBuffers

/// A numeric expression that is evaluated on stored bytes. Its value is in the 64-bit form of `ScalarBits`; nil is null
/// or unknown.
protocol ScalarOperand: AnyObject, Sendable {
  func bits(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64?
}

/// A text expression that is evaluated on stored bytes; nil is null. The bytes are valid as long as the row and the
/// operand.
protocol TextOperand: AnyObject, Sendable {
  func text(in row: FlatBufferTable) throws(FlatBufferError) -> UnsafeRawBufferPointer?
}

final class FieldScalar: ScalarOperand {
  let reader: PathReader

  init(_ reader: PathReader) { self.reader = reader }

  func bits(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64? { try reader.bits(in: row) }
}

final class ConstantScalar: ScalarOperand {
  let value: UInt64?

  init(_ value: UInt64?) { self.value = value }

  func bits(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64? { value }
}

/// A condition as a `Bool` value.
final class TruthScalar: ScalarOperand {
  let matcher: any Matcher

  init(_ matcher: any Matcher) { self.matcher = matcher }

  func bits(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64? {
    switch try matcher.truth(of: row) {
    case .yes: ScalarBits.yes
    case .no: ScalarBits.no
    case .unknown: nil
    }
  }
}

final class ArithmeticScalar: ScalarOperand {
  let operation: QueryNode.Arithmetic
  let type: QueryValueType
  let left: any ScalarOperand
  let right: any ScalarOperand

  init(_ operation: QueryNode.Arithmetic, _ left: any ScalarOperand, _ right: any ScalarOperand, type: QueryValueType) {
    self.operation = operation
    self.left = left
    self.right = right
    self.type = type
  }

  func bits(in row: FlatBufferTable) throws(FlatBufferError) -> UInt64? {
    guard let left = try left.bits(in: row), let right = try right.bits(in: row) else { return nil }
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
    calculate(T(truncatingIfNeeded: ScalarBits.signed(left)), T(truncatingIfNeeded: ScalarBits.signed(right))).map {
      ScalarBits.of(Int64($0))
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

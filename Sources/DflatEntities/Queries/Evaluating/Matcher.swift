import DflatBuffers
import DflatSupport

/// A truth value in three-valued logic.
enum Truth: UInt8, Sendable {
  case no, yes, unknown

  @inline(__always)
  init(_ value: Bool) { self = value ? .yes : .no }
}

/// A condition that is evaluated on stored bytes.
protocol Matcher: AnyObject, Sendable {
  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth
}

extension QueryNode.Comparison {
  @inline(__always)
  func holds<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    }
  }

  /// Compares two texts.
  @inline(__always)
  func holds(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .equal: left.isSame(as: right)
    case .notEqual: !left.isSame(as: right)
    case .less: left.compare(to: right) < 0
    case .lessOrEqual: left.compare(to: right) <= 0
    }
  }
}

final class ConstantTruth: Matcher {
  let value: Truth

  init(_ value: Truth) { self.value = value }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth { value }
}

final class Conjunction: Matcher {
  let left: any Matcher
  let right: any Matcher

  init(_ left: any Matcher, _ right: any Matcher) {
    self.left = left
    self.right = right
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    let first = try left.truth(of: row)
    if first == .no { return .no }
    let second = try right.truth(of: row)
    return first == .yes || second == .no ? second : .unknown
  }
}

final class Disjunction: Matcher {
  let left: any Matcher
  let right: any Matcher

  init(_ left: any Matcher, _ right: any Matcher) {
    self.left = left
    self.right = right
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    let first = try left.truth(of: row)
    if first == .yes { return .yes }
    let second = try right.truth(of: row)
    return first == .no || second == .yes ? second : .unknown
  }
}

final class Negation: Matcher {
  let operand: any Matcher

  init(_ operand: any Matcher) { self.operand = operand }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    switch try operand.truth(of: row) {
    case .no: .yes
    case .yes: .no
    case .unknown: .unknown
    }
  }
}

/// A value of type `Bool` as a condition.
final class BoolCondition: Matcher {
  let operand: any ScalarOperand

  init(_ operand: any ScalarOperand) { self.operand = operand }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let bits = try operand.bits(in: row) else { return .unknown }
    return Truth(bits == ScalarBits.yes)
  }
}

final class NullScalar: Matcher {
  let operand: any ScalarOperand

  init(_ operand: any ScalarOperand) { self.operand = operand }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth { Truth(try operand.bits(in: row) == nil) }
}

final class NullText: Matcher {
  let operand: any TextOperand

  init(_ operand: any TextOperand) { self.operand = operand }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth { Truth(try operand.text(in: row) == nil) }
}

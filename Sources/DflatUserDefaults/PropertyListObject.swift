import Foundation

/// An object of a property list in memory. `Any` hides whether Foundation represents it by a Swift value or by an
/// object of a class.
enum PropertyListObject {
  case bool(Bool)
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  case real(Double)
  case string(String)
  case data(Data)
  case date(Date)
  case array([Any])
  case dictionary([String: Any])

  init(_ object: Any) throws(UserDefaultsTransfer.Reason) {
    // First, because casts convert an `NSNumber` to any number type that represents it, even 1 to `Bool`.
    if let number = object as? NSNumber {
      self = try Self.converted(number)
      return
    }
    switch object {
    // Swift's numbers, in case that Foundation doesn't convert them.
    case let value as Bool: self = .bool(value)
    case let value as any BinaryInteger: self = try Self.converted(integer: value)
    case let value as any BinaryFloatingPoint: self = Self.converted(real: value)
    case let value as String: self = .string(value)
    case let value as Date: self = .date(value)
    case let value as Data: self = .data(value)
    case let value as [Any]: self = .array(value)
    case let value as [String: Any]: self = .dictionary(value)
    default: throw .unsupportedType
    }
  }

  private static func converted(_ number: NSNumber) throws(UserDefaultsTransfer.Reason) -> Self {
    // The encoding of the type isn't enough: that of a Boolean is also that of an `Int8`.
    if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
    switch UnicodeScalar(UInt8(truncatingIfNeeded: number.objCType.pointee)) {
    case "d", "f": return .real(number.doubleValue)
    // An unsigned integer of 64 bits, or one of more bits, which reads as its lower 64.
    case "Q":
      if number == NSNumber(value: number.int64Value) { return .integer(number.int64Value) }
      if number == NSNumber(value: number.uint64Value) { return .unsigned(number.uint64Value) }
      throw .integerTooLarge
    default: return .integer(number.int64Value)
    }
  }

  private static func converted(integer value: some BinaryInteger) throws(UserDefaultsTransfer.Reason) -> Self {
    if let integer = Int64(exactly: value) { return .integer(integer) }
    if let unsigned = UInt64(exactly: value) { return .unsigned(unsigned) }
    throw .integerTooLarge
  }

  private static func converted(real value: some BinaryFloatingPoint) -> Self { .real(Double(value)) }
}

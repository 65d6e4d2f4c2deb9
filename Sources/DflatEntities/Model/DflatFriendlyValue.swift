/// A value that fields hold and queries compare: `Bool`, the sized integers, `Float`, `Double`, `String`, and a
/// schema's enums. Don't conform types of your own.
public protocol DflatFriendlyValue: Comparable, Hashable, Sendable {
  /// The type that queries use for the values.
  static var _queryValueType: QueryValueType { get }
  /// The value as queries see it.
  var _queryValue: QueryValue { get }
  /// Creates a value from its query form. Returns nil if the type has no such value: null, or a number that the enum
  /// doesn't define.
  init?(_queryValue: QueryValue)
}

extension DflatFriendlyValue where Self: RawRepresentable, RawValue: DflatFriendlyValue {
  public static var _queryValueType: QueryValueType { RawValue._queryValueType }
  public var _queryValue: QueryValue { rawValue._queryValue }
  public init?(_queryValue: QueryValue) {
    guard let raw = RawValue(_queryValue: _queryValue) else { return nil }
    self.init(rawValue: raw)
  }
}

extension DflatFriendlyValue where Self: FixedWidthInteger {
  public var _queryValue: QueryValue { .integer(Int64(truncatingIfNeeded: self)) }
  public init?(_queryValue: QueryValue) {
    guard case .integer(let value) = _queryValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int8: DflatFriendlyValue { public static var _queryValueType: QueryValueType { .int8 } }
extension UInt8: DflatFriendlyValue { public static var _queryValueType: QueryValueType { .uint8 } }
extension Int16: DflatFriendlyValue { public static var _queryValueType: QueryValueType { .int16 } }
extension UInt16: DflatFriendlyValue { public static var _queryValueType: QueryValueType { .uint16 } }
extension Int32: DflatFriendlyValue { public static var _queryValueType: QueryValueType { .int32 } }
extension UInt32: DflatFriendlyValue { public static var _queryValueType: QueryValueType { .uint32 } }
extension Int64: DflatFriendlyValue { public static var _queryValueType: QueryValueType { .int64 } }

extension UInt64: DflatFriendlyValue {
  public static var _queryValueType: QueryValueType { .uint64 }
  public var _queryValue: QueryValue { .unsigned(self) }
  public init?(_queryValue: QueryValue) {
    guard case .unsigned(let value) = _queryValue else { return nil }
    self = value
  }
}

extension Float: DflatFriendlyValue {
  public static var _queryValueType: QueryValueType { .float }
  public var _queryValue: QueryValue { .real(Double(self)) }
  public init?(_queryValue: QueryValue) {
    guard case .real(let value) = _queryValue else { return nil }
    self.init(value)
  }
}

extension Double: DflatFriendlyValue {
  public static var _queryValueType: QueryValueType { .double }
  public var _queryValue: QueryValue { .real(self) }
  public init?(_queryValue: QueryValue) {
    guard case .real(let value) = _queryValue else { return nil }
    self = value
  }
}

extension String: DflatFriendlyValue {
  public static var _queryValueType: QueryValueType { .string }
  public var _queryValue: QueryValue { .text(self) }
  public init?(_queryValue: QueryValue) {
    guard case .text(let value) = _queryValue else { return nil }
    self = value
  }
}

extension Bool: DflatFriendlyValue {
  public static var _queryValueType: QueryValueType { .bool }
  public var _queryValue: QueryValue { .integer(self ? 1 : 0) }
  public init?(_queryValue: QueryValue) {
    guard case .integer(let value) = _queryValue else { return nil }
    self = value != 0
  }
}

extension Bool: @retroactive Comparable {
  /// Returns true if `lhs` is `false` and `rhs` is `true`.
  public static func < (lhs: Bool, rhs: Bool) -> Bool { !lhs && rhs }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type that the dictionary stores natively: `Bool`, the integers, `Float`, `Double`, `String` and `Data`.
///
/// Don't add conformances: the dictionary stores other types by their `Codable` conformance.
public protocol DictionaryNativeValue: Codable, Equatable, Sendable {
  /// Creates the value of a slot, or nil if it is of another type. A number type accepts every number that it can
  /// represent exactly.
  init?(_slot: _DictionarySlot)
  /// The value in a slot.
  var _slot: _DictionarySlot { get }
}

/// A value that passes into or out of the cache.
public struct _DictionarySlot: Sendable {
  let value: CachedValue

  init(_ value: CachedValue) { self.value = value }
}

/// The types that conform, for code that has only a type's identifier.
let allNativeTypes: [any DictionaryNativeValue.Type] = [
  Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
  UInt64.self, Float.self, Double.self, String.self, Data.self,
]

extension Bool: DictionaryNativeValue {
  public init?(_slot slot: _DictionarySlot) {
    guard case .bool(let value) = slot.value else { return nil }
    self = value
  }
  public var _slot: _DictionarySlot { _DictionarySlot(.bool(self)) }
}

extension FixedWidthInteger {
  public init?(_slot slot: _DictionarySlot) {
    switch slot.value {
    case .int(let value): self.init(exactly: value)
    case .uint(let value): self.init(exactly: value)
    case .double(let value): self.init(exactly: value)
    case .float(let value): self.init(exactly: value)
    case .absent, .bool, .boxed, .deferred: return nil
    }
  }
}

extension FixedWidthInteger where Self: SignedInteger {
  public var _slot: _DictionarySlot { _DictionarySlot(.int(Int64(self))) }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  public var _slot: _DictionarySlot { _DictionarySlot(.uint(UInt64(self))) }
}

extension Int: DictionaryNativeValue {}
extension Int8: DictionaryNativeValue {}
extension Int16: DictionaryNativeValue {}
extension Int32: DictionaryNativeValue {}
extension Int64: DictionaryNativeValue {}
extension UInt: DictionaryNativeValue {}
extension UInt8: DictionaryNativeValue {}
extension UInt16: DictionaryNativeValue {}
extension UInt32: DictionaryNativeValue {}
extension UInt64: DictionaryNativeValue {}

extension Float: DictionaryNativeValue {
  public init?(_slot slot: _DictionarySlot) {
    switch slot.value {
    case .float(let value): self = value
    // NaN has no exact counterpart, as it equals nothing.
    case .double(let value) where value.isNaN: self.init(value)
    case .double(let value): self.init(exactly: value)
    case .int(let value): self.init(exactly: value)
    case .uint(let value): self.init(exactly: value)
    case .absent, .bool, .boxed, .deferred: return nil
    }
  }
  public var _slot: _DictionarySlot { _DictionarySlot(.float(self)) }
}

extension Double: DictionaryNativeValue {
  public init?(_slot slot: _DictionarySlot) {
    switch slot.value {
    case .double(let value): self = value
    case .float(let value): self.init(value)
    case .int(let value): self.init(exactly: value)
    case .uint(let value): self.init(exactly: value)
    case .absent, .bool, .boxed, .deferred: return nil
    }
  }
  public var _slot: _DictionarySlot { _DictionarySlot(.double(self)) }
}

extension String: DictionaryNativeValue {
  public init?(_slot slot: _DictionarySlot) {
    guard case .boxed(let box) = slot.value, case .string(let value) = box.content else { return nil }
    self = value
  }
  public var _slot: _DictionarySlot { _DictionarySlot(.boxed(ValueBox(.string(self)))) }
}

extension Data: DictionaryNativeValue {
  public init?(_slot slot: _DictionarySlot) {
    guard case .boxed(let box) = slot.value, case .data(let value) = box.content else { return nil }
    self = value
  }
  public var _slot: _DictionarySlot { _DictionarySlot(.boxed(ValueBox(.data(self)))) }
}

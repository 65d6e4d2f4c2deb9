/// A field that a response has only under a condition: a fragment on a type, `@include` or `@skip`. Generated types use
/// it for fields that may also be null.
///
/// The property itself is nil in both cases. `$height` tells them apart: it is true if the response has the field.
@propertyWrapper
public struct Selected<Value: Sendable>: Sendable {
  /// The value; nil if it is null, or if the response doesn't have the field.
  public let wrappedValue: Value?
  /// True if the response has the field, even as null.
  public let projectedValue: Bool

  /// Creates a field that a response has.
  public init(wrappedValue: Value?) { self.init(wrappedValue, isSelected: true) }

  fileprivate init(_ value: Value?, isSelected: Bool) {
    wrappedValue = value
    projectedValue = isSelected
  }
}

extension Selected: Equatable where Value: Equatable {}
extension Selected: Hashable where Value: Hashable {}

extension Selected: Decodable where Value: Decodable {
  /// Decodes a field that a response has.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(container.decodeNil() ? nil : try container.decode(Value.self), isSelected: true)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a field that may be missing. The compiler's `init(from:)` of types with such fields calls it.
  ///
  /// - Throws: `DecodingError` if the value has another type.
  public func decode<Value: Decodable>(_ type: Selected<Value>.Type, forKey key: Key) throws -> Selected<Value> {
    Selected(try decodeIfPresent(Value.self, forKey: key), isSelected: contains(key))
  }
}

/// The coding of native types and property lists.
enum CodableCoding<Value: DictionaryCodable>: ValueCoding {
  static func wrap(_ value: Value) throws -> CachedValue {
    do { return try ValueCoder.encode(value) } catch { throw WorkspaceError.unencodable(error) }
  }

  static func decode(_ value: CachedValue, in context: @autoclosure () -> DecodingContext) throws -> Value? {
    try ValueCoder.decode(value, as: Value.self, in: context())
  }

  /// Earlier versions stored an optional as a property list with an array of one, which no native type is decoded from,
  /// and no type from a nil in it.
  static func decodeEarlierOptional(
    _ value: CachedValue, after failure: any Error, in context: DecodingContext
  ) throws -> Value? {
    guard value.kind == .propertyList,
      case .some(let optional) = try? ValueCoder.decode(value, as: Value?.self, in: context)
    else { throw failure }
    return optional
  }

  static func decode(
    _ value: CachedValue, completedBy defaultValue: Value, after failure: any Error, in context: DecodingContext
  ) throws -> Value {
    try ValueCoder.decode(value, completedBy: defaultValue, after: failure, in: context)
  }

  static func isNil(_ value: Value) -> Bool { ValueCoder.isNil(value) }

  static func isSame(_ a: Value, _ b: Value) -> Bool {
    if a == b { return true }
    guard let first = a as? any DictionaryNativeValue, let second = b as? any DictionaryNativeValue else {
      return false
    }
    return first._slot.value.isIdentical(to: second._slot.value)
  }
}

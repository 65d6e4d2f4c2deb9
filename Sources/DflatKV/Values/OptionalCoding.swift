/// The coding of an optional, whose nil is no value. All else has the stored form of the wrapped type.
enum OptionalCoding<Base: ValueCoding>: ValueCoding {
  typealias Value = Base.Value?

  static func wrap(_ value: Base.Value?) throws -> CachedValue {
    guard let value else { return .absent }
    return try Base.wrap(value)
  }

  static func decode(_ value: CachedValue, in context: @autoclosure () -> DecodingContext) throws -> Base.Value?? {
    let decoded: Base.Value?
    do { decoded = try Base.decode(value, in: context()) } catch {
      decoded = try Base.decodeEarlierOptional(value, after: error, in: context())
    }
    return decoded.map { .some($0) }
  }

  /// Always throws `failure`: the default of a key with this coding is nil, which has no fields that could complete a value.
  static func decode(
    _ value: CachedValue, completedBy defaultValue: Base.Value?, after failure: any Error, in context: DecodingContext
  ) throws -> Base.Value? {
    throw failure
  }

  static func isSame(_ a: Base.Value?, _ b: Base.Value?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case (let a?, let b?): Base.isSame(a, b)
    case (nil, _?), (_?, nil): false
    }
  }

  static func isNil(_ value: Base.Value?) -> Bool {
    guard let value else { return true }
    return Base.isNil(value)
  }
}

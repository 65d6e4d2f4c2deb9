/// Converts values of one type to and from the cache's form. Each family of public overloads has a conformer, so that
/// all of them share one path.
///
/// Runs user code, so never call it under a lock (A11).
protocol ValueCoding<Value>: Sendable {
  associatedtype Value: Equatable & Sendable

  /// Returns a value for the cache; an absence for an optional's nil. A deferred value is encoded when it is committed.
  /// Two values are the same only if their bytes are: those that are merely equal (`==`), such as 0 and -0 or two
  /// spellings of a text, may be written again.
  ///
  /// - Throws: ``WorkspaceError`` with code `.unencodable`, without the key.
  static func wrap(_ value: Value) throws -> CachedValue

  /// Returns nil for an absence. Evaluates `context` only where there are bytes to decode.
  ///
  /// - Throws: ``WorkspaceError`` with code `.typeMismatch`, `.schemaVersionMismatch`, `.undecodable` or
  ///   `.unencodable`, without the key.
  static func decode(_ value: CachedValue, in context: @autoclosure () -> DecodingContext) throws -> Value?

  /// Decodes an optional for which `decode` threw `failure`, from the form in which earlier versions stored optionals.
  /// Returns nil for its nil.
  ///
  /// - Throws: `failure`, if the value is not of that form.
  static func decodeEarlierOptional(
    _ value: CachedValue, after failure: any Error, in context: DecodingContext
  ) throws -> Value?

  /// Decodes a value for which `decode` threw `failure`, with the fields that it lacks taken from a default value.
  ///
  /// - Throws: `failure`, or the error of the completed value.
  static func decode(
    _ value: CachedValue, completedBy defaultValue: Value, after failure: any Error, in context: DecodingContext
  ) throws -> Value

  /// Returns true for equal values, and for two NaNs that are values of their own.
  static func isSame(_ a: Value, _ b: Value) -> Bool

  /// Returns true for an optional's nil, which is stored as no value.
  static func isNil(_ value: Value) -> Bool
}

extension ValueCoding {
  static func decodeEarlierOptional(
    _ value: CachedValue, after failure: any Error, in context: DecodingContext
  ) throws -> Value? {
    throw failure
  }

  /// Decodes a value. One that can't be decoded is migrated, or else completed: fields that it lacks take their values from
  /// a default, if there is one. Returns nil for an absence. Evaluates the default only to complete a value.
  ///
  /// - Throws: The errors of ``decode(_:in:)``.
  static func decode(
    _ value: CachedValue, migrating migrations: [DictionaryMigration<Value>],
    completedBy defaultValue: @autoclosure () -> Value?, in context: @autoclosure () -> DecodingContext
  ) throws -> Value? {
    do { return try decode(value, in: context()) } catch {
      if let migrated = try migrate(value, by: migrations, in: context()) { return migrated }
      guard let template = defaultValue() else { throw error }
      return try decode(value, completedBy: template, after: error, in: context())
    }
  }
}

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

  /// Throws: the default of a key with this coding is nil, which has no fields.
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

import DflatBuffers

/// How values of one type get into the cache and out of it: one conformer for each family of public overloads, so that
/// there is one path behind them all.
///
/// Runs the program's own code, so never under a lock (A11).
protocol ValueCoding<Value>: Sendable {
  associatedtype Value: Equatable & Sendable

  /// A value for the cache; a deferred one is encoded when it is committed. Whether it is the value that is there already,
  /// its bytes say: what `==` calls equal, 0 and -0 or two spellings of a text, may be written otherwise.
  ///
  /// - Throws: `.unencodable`, without the key.
  static func wrap(_ value: Value) throws -> CachedValue

  /// Nil for an absence. Throws `.typeMismatch`, `.schemaVersionMismatch`, `.undecodable` or `.unencodable`, without the
  /// key. The limits are asked for where there is a FlatBuffer to decode.
  static func decode(_ value: CachedValue, limits: @autoclosure () -> FlatBufferLimits) throws -> Value?

  /// Equality in which NaN, as a value of its own, is NaN.
  static func isSame(_ a: Value, _ b: Value) -> Bool
}

/// Native types and property lists.
enum CodableCoding<Value: DictionaryCodable>: ValueCoding {
  static func wrap(_ value: Value) throws -> CachedValue {
    do { return try ValueCoder.encode(value) } catch { throw WorkspaceError.unencodable(error) }
  }

  static func decode(_ value: CachedValue, limits: @autoclosure () -> FlatBufferLimits) throws -> Value? {
    try ValueCoder.decode(value, as: Value.self, limits: limits())
  }

  static func isSame(_ a: Value, _ b: Value) -> Bool {
    if a == b { return true }
    guard let first = a as? any DictionaryNativeValue, let second = b as? any DictionaryNativeValue else {
      return false
    }
    return first._slot.value.isIdentical(to: second._slot.value)
  }
}

import DflatBuffers

/// How values of one type get into the cache and out of it: one conformer for each family of public overloads, so that
/// there is one path behind them all.
///
/// Runs the program's own code, so never under a lock (A11).
protocol ValueCoding<Value>: Sendable {
  associatedtype Value: Equatable & Sendable

  /// A value for the cache; a deferred one is encoded when it is committed. `current` is what the cache has, which may be
  /// returned where it is the same and that saves encoding.
  ///
  /// - Throws: `.unencodable`, without the key.
  static func wrap(_ value: Value, over current: () -> CachedValue?) throws -> CachedValue

  /// Nil for an absence. Throws `.typeMismatch`, `.schemaVersionMismatch`, `.undecodable` or `.unencodable`, without the
  /// key. The limits are asked for where there is a FlatBuffer to decode.
  static func decode(_ value: CachedValue, limits: @autoclosure () -> FlatBufferLimits) throws -> Value?

  /// Equality in which NaN, as a value of its own, is NaN.
  static func isSame(_ a: Value, _ b: Value) -> Bool
}

/// Native types and property lists.
enum CodableCoding<Value: DictionaryCodable>: ValueCoding {
  static func wrap(_ value: Value, over current: () -> CachedValue?) throws -> CachedValue {
    if let current = current(), isUnchanged(value, from: current) { return current }
    do { return try ValueCoder.encode(value) } catch { throw WorkspaceError.unencodable(error) }
  }

  static func decode(_ value: CachedValue, limits: @autoclosure () -> FlatBufferLimits) throws -> Value? {
    try ValueCoder.decode(value, as: Value.self, limits: limits())
  }

  /// As far as can be told without decoding.
  private static func isUnchanged(_ value: Value, from current: CachedValue) -> Bool {
    guard case .boxed(let box) = current, let known = box.decodedValue(as: Value.self) else { return false }
    return known == value
  }

  static func isSame(_ a: Value, _ b: Value) -> Bool {
    if a == b { return true }
    guard let first = a as? any DictionaryNativeValue, let second = b as? any DictionaryNativeValue else {
      return false
    }
    return first._slot.value.isIdentical(to: second._slot.value)
  }
}

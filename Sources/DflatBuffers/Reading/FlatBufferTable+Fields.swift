extension FlatBufferTable {
  /// Returns a scalar, or its default if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the field lies outside the buffer.
  @inlinable
  public func scalar<T: FlatBufferScalar>(_ slot: Int, default standard: T) throws(FlatBufferError) -> T {
    guard let field = field(slot) else { return standard }
    return try source.load(at: field, slot: slot)
  }

  /// Returns an optional scalar, nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the field lies outside the buffer.
  @inlinable
  public func scalar<T: FlatBufferScalar>(_ slot: Int) throws(FlatBufferError) -> T? {
    guard let field = field(slot) else { return nil }
    return try source.load(T.self, at: field, slot: slot)
  }

  /// Returns an enum's value, or the default if the field is absent or this version of the schema doesn't know its
  /// value.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the field lies outside the buffer.
  @inlinable
  public func enumeration<E: FlatBufferEnum>(_ slot: Int, default standard: E) throws(FlatBufferError) -> E {
    guard let field = field(slot) else { return standard }
    return E(rawValue: try source.load(at: field, slot: slot)) ?? standard
  }

  /// Returns an optional enum's value, nil if the field is absent or this version of the schema doesn't know its value.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the field lies outside the buffer.
  @inlinable
  public func enumeration<E: FlatBufferEnum>(_ slot: Int) throws(FlatBufferError) -> E? {
    guard let field = field(slot) else { return nil }
    return E(rawValue: try source.load(at: field, slot: slot))
  }

  /// Returns a string, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the string lies outside the
  ///   buffer, `.invalidUTF8` if it is not UTF-8.
  public func string(_ slot: Int) throws(FlatBufferError) -> String? {
    guard let target = try target(slot) else { return nil }
    return try source.string(at: target, slot: slot)
  }
}

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

  /// Returns a fixed struct, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the struct lies outside the buffer.
  @inlinable
  public func structure<S: FlatBufferStructure>(_ slot: Int) throws(FlatBufferError) -> S? {
    guard let field = field(slot) else { return nil }
    return try S.read(FlatBufferStruct(source, at: field, size: S.flatBufferLayout.size, slot: slot))
  }

  /// Returns a table, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` as ``subtable(_:)`` does, or if a field of the table is damaged.
  @inlinable
  public func table<T: FlatBufferTableValue>(_ slot: Int) throws(FlatBufferError) -> T? {
    guard let table = try subtable(slot) else { return nil }
    return try T.read(table)
  }

  /// Returns a union's value, or nil if the union has none or this version of the schema doesn't know its kind.
  ///
  /// - Throws: ``FlatBufferError`` as `union(_:)` does, or if the value is damaged.
  @inlinable
  public func union<U: FlatBufferUnion>(_ slot: Int) throws(FlatBufferError) -> U? {
    let kind = try unionKind(slot)
    guard kind != 0 else { return nil }
    return try U(kind: kind, unionMember(slot))
  }

  /// Returns the root table of the buffer in a vector of bytes (`nested_flatbuffer`), or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` as ``nestedTable(_:)`` does, or if a field of the table is damaged.
  @inlinable
  public func nested<T: FlatBufferTableValue>(_ slot: Int) throws(FlatBufferError) -> T? {
    guard let table = try nestedTable(slot) else { return nil }
    return try T.read(table)
  }
}

extension FlatBufferTable {
  /// A scalar, or its default.
  @inlinable
  public func scalar<T: FlatBufferScalar>(_ slot: Int, default standard: T) throws(FlatBufferError) -> T {
    guard let field = field(slot) else { return standard }
    return try source.load(at: field, slot: slot)
  }

  /// An optional scalar.
  @inlinable
  public func scalar<T: FlatBufferScalar>(_ slot: Int) throws(FlatBufferError) -> T? {
    guard let field = field(slot) else { return nil }
    return try source.load(T.self, at: field, slot: slot)
  }

  /// An enum's value; the default also stands for values that this version of the schema doesn't know.
  @inlinable
  public func enumeration<E: FlatBufferEnum>(_ slot: Int, default standard: E) throws(FlatBufferError) -> E {
    guard let field = field(slot) else { return standard }
    return E(rawValue: try source.load(at: field, slot: slot)) ?? standard
  }

  /// An optional enum's value; nil also stands for values that this version of the schema doesn't know.
  @inlinable
  public func enumeration<E: FlatBufferEnum>(_ slot: Int) throws(FlatBufferError) -> E? {
    guard let field = field(slot) else { return nil }
    return E(rawValue: try source.load(at: field, slot: slot))
  }

  /// A string, nil of none.
  public func string(_ slot: Int) throws(FlatBufferError) -> String? {
    guard let target = try target(slot) else { return nil }
    return try source.string(at: target, slot: slot)
  }

  /// A fixed struct, nil of none.
  @inlinable
  public func structure<S: FlatBufferStructure>(_ slot: Int) throws(FlatBufferError) -> S? {
    guard let field = field(slot) else { return nil }
    return try S.read(FlatBufferStruct(source, at: field, size: S.flatBufferLayout.size, slot: slot))
  }

  /// A table, nil of none.
  @inlinable
  public func table<T: FlatBufferTableValue>(_ slot: Int) throws(FlatBufferError) -> T? {
    guard let table = try subtable(slot) else { return nil }
    return try T.read(table)
  }

  /// A union's member; nil also stands for kinds that this version of the schema doesn't know.
  @inlinable
  public func union<U: FlatBufferUnion>(_ slot: Int) throws(FlatBufferError) -> U? {
    let kind = try unionKind(slot)
    guard kind != 0 else { return nil }
    return try U(kind: kind, unionMember(slot))
  }

  /// The table that is the root of the buffer in a vector of bytes (`nested_flatbuffer`).
  @inlinable
  public func nested<T: FlatBufferTableValue>(_ slot: Int) throws(FlatBufferError) -> T? {
    guard let table = try nestedTable(slot) else { return nil }
    return try T.read(table)
  }
}

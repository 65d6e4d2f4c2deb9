extension FlatBufferTable {
  /// Returns the table as a value of its type.
  ///
  /// - Throws: ``FlatBufferError`` with the type's names if a field is damaged.
  @inlinable
  public func value<T: FlatBufferTableValue>(_ type: T.Type = T.self) throws(FlatBufferError) -> T {
    try T.read(self)
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

  /// Returns a vector of fixed structs, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer.
  @inlinable
  public func structures<S: FlatBufferStructure>(_ slot: Int) throws(FlatBufferError) -> [S]? {
    let size = S.flatBufferLayout.size
    guard let vector = try vector(slot, size: size) else { return nil }
    return try source.structures(at: vector.start, count: vector.count, size: size)
  }

  /// Returns a vector of tables, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer; as ``FlatBufferVector/table(at:)`` does; or if a field of a table is damaged.
  @inlinable
  public func tables<T: FlatBufferTableValue>(_ slot: Int) throws(FlatBufferError) -> [T]? {
    guard let vector = try vector(slot, size: 4) else { return nil }
    var tables: [T] = []
    tables.reserveCapacity(vector.count)
    for index in 0..<vector.count { tables.append(try T.read(vector.table(at: index))) }
    return tables
  }

  /// Returns a vector of unions, or nil if the field is absent. It leaves out unions without a value, and those whose
  /// kinds this version of the schema doesn't know.
  ///
  /// - Throws: ``FlatBufferError`` with code `.invalidUnion` if the vectors of kinds and values differ in length,
  ///   `.truncated` or `.offsetOutOfBounds` if anything lies outside the buffer; or if a value is damaged.
  @inlinable
  public func unions<U: FlatBufferUnion>(_ slot: Int) throws(FlatBufferError) -> [U]? {
    guard let vector = try vector(slot, size: 4) else { return nil }
    let kinds = try unionKinds(slot, count: vector.count)
    var unions: [U] = []
    unions.reserveCapacity(vector.count)
    for index in 0..<vector.count {
      let kind: UInt8 = try kinds.scalar(at: index)
      guard kind != 0, let union = try U(kind: kind, vector.unionMember(at: index)) else { continue }
      unions.append(union)
    }
    return unions
  }
}

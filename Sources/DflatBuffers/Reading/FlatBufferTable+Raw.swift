// For tools and queries that know a schema at run time.
extension FlatBufferTable {
  /// A view of a table, nil of none.
  public func subtable(_ slot: Int) throws(FlatBufferError) -> FlatBufferTable? {
    guard let target = try target(slot) else { return nil }
    return try FlatBufferTable(source, at: target, depth: depth - 1, slot: slot)
  }

  /// A view of a fixed struct, nil of none.
  @inlinable
  public func structure(_ slot: Int, layout: StructLayout) throws(FlatBufferError) -> FlatBufferStruct? {
    guard let field = field(slot) else { return nil }
    return try FlatBufferStruct(source, at: field, size: layout.size, slot: slot)
  }

  /// The number of the member that a union has, 0 if none. The slot is that of the union's value.
  @inlinable
  public func unionKind(_ slot: Int) throws(FlatBufferError) -> UInt8 {
    try scalar(slot - 2, default: 0)
  }

  /// The member of a union that has a kind.
  ///
  /// - Throws: `invalidUnion` if the value is absent.
  @usableFromInline
  func unionMember(_ slot: Int) throws(FlatBufferError) -> FlatBufferUnionMember {
    guard let target = try target(slot) else {
      throw FlatBufferError(.invalidUnion, slot: slot, position: position)
    }
    return FlatBufferUnionMember(source, at: target, depth: depth, slot: slot)
  }

  /// The kind and the member of a union, or nil if it has none.
  public func union(_ slot: Int) throws(FlatBufferError) -> (kind: UInt8, member: FlatBufferUnionMember)? {
    let kind = try unionKind(slot)
    guard kind != 0 else { return nil }
    return (kind, try unionMember(slot))
  }

  /// A vector's elements, of that many bytes each.
  @usableFromInline
  func vector(_ slot: Int, size: Int) throws(FlatBufferError) -> FlatBufferVector? {
    guard let target = try target(slot) else { return nil }
    let (start, count) = try source.elements(at: target, size: size, slot: slot)
    return FlatBufferVector(source, start: start, count: count, stride: size, depth: depth, slot: slot)
  }

  /// A vector of scalars or enums, of 1, 2, 4 or 8 bytes each.
  public func vector(_ slot: Int, elementSize: Int) throws(FlatBufferError) -> FlatBufferVector? {
    precondition(elementSize > 0, "elements of a vector have at least one byte")
    return try vector(slot, size: elementSize)
  }

  /// A vector of strings, tables or union values.
  public func vectorOfOffsets(_ slot: Int) throws(FlatBufferError) -> FlatBufferVector? {
    try vector(slot, size: 4)
  }

  /// A vector of structs.
  public func vector(_ slot: Int, of layout: StructLayout) throws(FlatBufferError) -> FlatBufferVector? {
    try vector(slot, size: layout.size)
  }

  /// The bytes of a string or of a vector of bytes, valid as long as the table.
  public func bytes(_ slot: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer? {
    guard let vector = try vector(slot, size: 1) else { return nil }
    return UnsafeRawBufferPointer(start: source.base + vector.start, count: vector.count)
  }

  /// The root of the buffer in a vector of bytes (`nested_flatbuffer`).
  public func nestedTable(_ slot: Int) throws(FlatBufferError) -> FlatBufferTable? {
    guard let bytes = try bytes(slot) else { return nil }
    let inner = Source(bytes, allowance: source.allowance)
    return try FlatBufferTable(inner, at: inner.target(at: 0, slot: slot), depth: depth - 1, slot: slot)
  }
}

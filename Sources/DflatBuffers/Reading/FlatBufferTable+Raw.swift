// Accessors for tools and queries that learn the schema at run time.
extension FlatBufferTable {
  /// Returns a view of a table, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the table lies outside the
  ///   buffer, `.invalidVTable` if its vtable is damaged, `.tooDeep` if it is nested too deeply.
  public func subtable(_ slot: Int) throws(FlatBufferError) -> FlatBufferTable? {
    guard let target = try target(slot) else { return nil }
    return try FlatBufferTable(source, at: target, depth: depth - 1, slot: slot)
  }

  /// Returns a view of a fixed struct, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the struct lies outside the buffer.
  @inlinable
  public func structure(_ slot: Int, layout: StructLayout) throws(FlatBufferError) -> FlatBufferStruct? {
    guard let field = field(slot) else { return nil }
    return try FlatBufferStruct(source, at: field, size: layout.size, slot: slot)
  }

  /// Returns the kind of a union, 0 if it has no value. The slot is that of the union's value.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the kind lies outside the buffer.
  @inlinable
  public func unionKind(_ slot: Int) throws(FlatBufferError) -> UInt8 {
    try scalar(slot - 2, default: 0)
  }

  /// Returns a view of the value of a union whose kind is not 0.
  ///
  /// - Throws: ``FlatBufferError`` with code `.invalidUnion` if the value is absent.
  @usableFromInline
  func unionMember(_ slot: Int) throws(FlatBufferError) -> FlatBufferUnionMember {
    guard let target = try target(slot) else {
      throw FlatBufferError(.invalidUnion, slot: slot, position: position)
    }
    return FlatBufferUnionMember(source, at: target, depth: depth, slot: slot)
  }

  /// Returns the kind and a view of the value of a union, or nil if it has none.
  ///
  /// - Throws: ``FlatBufferError`` with code `.invalidUnion` if there is a kind without a value, `.truncated` or
  ///   `.offsetOutOfBounds` if either lies outside the buffer.
  public func union(_ slot: Int) throws(FlatBufferError) -> (kind: UInt8, member: FlatBufferUnionMember)? {
    let kind = try unionKind(slot)
    guard kind != 0 else { return nil }
    return (kind, try unionMember(slot))
  }

  /// Returns a view of a vector whose elements have `size` bytes each.
  @usableFromInline
  func vector(_ slot: Int, size: Int) throws(FlatBufferError) -> FlatBufferVector? {
    guard let target = try target(slot) else { return nil }
    let (start, count) = try source.elements(at: target, size: size, slot: slot)
    return FlatBufferVector(source, start: start, count: count, stride: size, depth: depth, slot: slot)
  }

  /// Returns a view of a vector of scalars or enums, of 1, 2, 4 or 8 bytes each, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer.
  public func vector(_ slot: Int, elementSize: Int) throws(FlatBufferError) -> FlatBufferVector? {
    precondition(elementSize > 0, "the elements of a vector must have at least one byte")
    return try vector(slot, size: elementSize)
  }

  /// Returns a view of a vector of strings, tables or union values, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer.
  public func vectorOfOffsets(_ slot: Int) throws(FlatBufferError) -> FlatBufferVector? {
    try vector(slot, size: 4)
  }

  /// Returns a view of a vector of structs, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer.
  public func vector(_ slot: Int, of layout: StructLayout) throws(FlatBufferError) -> FlatBufferVector? {
    try vector(slot, size: layout.size)
  }

  /// Returns the bytes of a string or of a vector of bytes, or nil if the field is absent. They are valid as long as
  /// the table.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the bytes lie outside the buffer.
  public func bytes(_ slot: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer? {
    guard let vector = try vector(slot, size: 1) else { return nil }
    return UnsafeRawBufferPointer(start: source.base + vector.start, count: vector.count)
  }

  /// Returns the bytes of a scalar or fixed struct, which the table stores in place, or nil if the field is absent.
  /// They are valid as long as the table.
  package func inlineBytes(_ slot: Int, size: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer? {
    guard let field = field(slot) else { return nil }
    guard source.has(size, at: field) else { throw FlatBufferError(.truncated, slot: slot, position: field) }
    return UnsafeRawBufferPointer(start: source.base + field, count: size)
  }

  /// Returns a view of the root of the buffer in a vector of bytes (`nested_flatbuffer`), or nil if the field is
  /// absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector or the root lies
  ///   outside the buffer, `.invalidVTable` if the root's vtable is damaged, `.tooDeep` if it is nested too deeply.
  public func nestedTable(_ slot: Int) throws(FlatBufferError) -> FlatBufferTable? {
    guard let bytes = try bytes(slot) else { return nil }
    let inner = BufferReader(bytes, budget: source.budget)
    return try FlatBufferTable(inner, at: inner.target(at: 0, slot: slot), depth: depth - 1, slot: slot)
  }
}

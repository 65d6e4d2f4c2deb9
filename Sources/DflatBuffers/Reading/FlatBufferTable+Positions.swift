// Accessors for queries, which find single fields of stored bytes without decoding the rest. Every access is checked.
extension FlatBufferTable {
  /// Creates a view of the root of an unverified buffer. Unlike `withUnverifiedRoot`, it doesn't bound the data
  /// visited: it is for readers that follow a few fixed paths.
  ///
  /// Not inlinable: inside this module, the compiler specializes what it calls.
  package init(rootOf bytes: UnsafeRawBufferPointer) throws(FlatBufferError) {
    let source = BufferReader(bytes, budget: nil)
    try self.init(source, at: source.target(at: 0), depth: FlatBufferLimits().maximumDepth - 1)
  }

  /// The address of the table, valid as long as the table.
  package var address: UnsafeRawPointer { source.base + position }

  /// Returns the position of a field, or nil if it is absent. The position may lie outside the buffer.
  @inlinable
  package func position(of slot: Int) -> Int? { field(slot) }

  /// Returns the scalar at a position.
  @inlinable
  package func load<T: FlatBufferScalar>(_ type: T.Type = T.self, at position: Int) throws(FlatBufferError) -> T {
    try source.load(at: position, slot: 0)
  }

  /// Returns the bytes of the string whose length is at a position. They are valid as long as the table, and not
  /// checked to be UTF-8.
  @inlinable
  package func bytes(at position: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer {
    let (start, count) = try source.elements(at: position, size: 1, slot: 0)
    return UnsafeRawBufferPointer(start: source.base + start, count: count)
  }

  /// Returns the start and number of the elements of the vector whose length is at a position. All elements are inside
  /// the buffer.
  @inlinable
  package func elements(at position: Int, size: Int) throws(FlatBufferError) -> (start: Int, count: Int) {
    try source.elements(at: position, size: size, slot: 0)
  }

  /// Returns the target position of the offset at a position.
  @inlinable
  package func target(at position: Int) throws(FlatBufferError) -> Int { try source.target(at: position) }

  /// Returns the target position of the offset in a field, or nil if the field is absent.
  @inlinable
  package func targetPosition(_ slot: Int) throws(FlatBufferError) -> Int? { try target(slot) }

  /// Returns the position of a union's value, or nil if the union has another kind or none.
  ///
  /// - Throws: ``FlatBufferError`` with code `.invalidUnion` if the value is absent.
  @inlinable
  package func unionPosition(_ slot: Int, kind: UInt8) throws(FlatBufferError) -> Int? {
    guard try unionKind(slot) == kind else { return nil }
    guard let target = try target(slot) else {
      throw FlatBufferError(.invalidUnion, slot: slot, position: position)
    }
    return target
  }

  /// Returns a view of the table at a position.
  @inlinable
  package func table(at position: Int, slot: Int) throws(FlatBufferError) -> FlatBufferTable {
    try FlatBufferTable(source, at: position, depth: depth - 1, slot: slot)
  }
}

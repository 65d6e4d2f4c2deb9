// For queries: single fields of stored bytes, found without decoding what is around them. Every access is checked.
extension FlatBufferTable {
  /// The root of a buffer that nobody has verified. What is visited isn't bounded, unlike in `withUnverifiedRoot`: for
  /// readers that follow a few fixed paths.
  @inlinable
  package init(rootOf bytes: UnsafeRawBufferPointer) throws(FlatBufferError) {
    let source = Source(bytes, allowance: nil)
    try self.init(source, at: source.target(at: 0), depth: FlatBufferLimits().maximumDepth - 1)
  }

  /// Where a field's bytes are, or nil if it is absent. They may be outside of the buffer.
  @inlinable
  package func place(of slot: Int) -> Int? { field(slot) }

  /// The scalar at a place.
  @inlinable
  package func load<T: FlatBufferScalar>(_ type: T.Type = T.self, at place: Int) throws(FlatBufferError) -> T {
    try source.load(at: place, slot: 0)
  }

  /// The bytes of the string whose length is at a place, valid as long as the table. Nobody has checked that they are UTF-8.
  @inlinable
  package func bytes(at place: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer {
    let (start, count) = try source.elements(at: place, size: 1, slot: 0)
    return UnsafeRawBufferPointer(start: source.base + start, count: count)
  }

  /// The place that the offset in a field leads to, or nil if it is absent.
  @inlinable
  package func targetPlace(_ slot: Int) throws(FlatBufferError) -> Int? { try target(slot) }

  /// The place of a union's member, or nil if the union has another kind or none.
  ///
  /// - Throws: `invalidUnion` if the value is absent.
  @inlinable
  package func unionPlace(_ slot: Int, kind: UInt8) throws(FlatBufferError) -> Int? {
    guard try unionKind(slot) == kind else { return nil }
    guard let target = try target(slot) else {
      throw FlatBufferError(.invalidUnion, slot: slot, position: position)
    }
    return target
  }

  /// The table at a place.
  @inlinable
  package func table(at place: Int, slot: Int) throws(FlatBufferError) -> FlatBufferTable {
    try FlatBufferTable(source, at: place, depth: depth - 1, slot: slot)
  }
}

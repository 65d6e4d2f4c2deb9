extension FlatBufferStruct {
  /// Returns the struct at a byte offset.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the inner struct extends beyond this one.
  @inlinable
  public func structure<S: FlatBufferStructure>(_ offset: Int) throws(FlatBufferError) -> S {
    try S.read(structure(offset, layout: S.flatBufferLayout))
  }

  /// Returns the fixed-length array of structs at a byte offset.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the array extends beyond the struct.
  @inlinable
  public func array<S: FlatBufferStructure>(_ offset: Int, count: Int) throws(FlatBufferError) -> [S] {
    let size = S.flatBufferLayout.size
    return try source.structures(at: member(at: offset, size: size, count: count), count: count, size: size)
  }
}

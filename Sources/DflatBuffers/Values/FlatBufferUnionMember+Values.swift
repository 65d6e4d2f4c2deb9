extension FlatBufferUnionMember {
  /// Returns the value as a table.
  ///
  /// - Throws: ``FlatBufferError`` as ``table()`` does, or if a field is damaged.
  @inlinable
  public func table<T: FlatBufferTableValue>(_ type: T.Type = T.self) throws(FlatBufferError) -> T {
    try T.read(table())
  }

  /// Returns the value as a fixed struct.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the struct lies outside the buffer.
  @inlinable
  public func structure<S: FlatBufferStructure>(_ type: S.Type = S.self) throws(FlatBufferError) -> S {
    try S.read(structure(layout: S.flatBufferLayout))
  }
}

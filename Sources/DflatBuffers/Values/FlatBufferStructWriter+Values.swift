extension FlatBufferStructWriter {
  /// Writes a struct at its byte offset in the struct.
  @inlinable
  public mutating func write<S: FlatBufferStructure>(_ value: S, at offset: Int) {
    let size = S.flatBufferLayout.size
    var writer = FlatBufferStructWriter(member(at: offset, size: size), size: size)
    value.write(to: &writer)
    isOverlong = isOverlong || writer.isOverlong
  }

  /// Writes a fixed-length array of structs.
  @inlinable
  public mutating func write<S: FlatBufferStructure>(_ values: [S], count: Int, at offset: Int) {
    let size = S.flatBufferLayout.size
    for index in 0..<length(values.count, count) { write(values[index], at: offset + index * size) }
  }
}

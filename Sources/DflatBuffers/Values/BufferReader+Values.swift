// Elements whose bytes are known to be inside the buffer.
extension BufferReader {
  @inlinable
  func structures<S: FlatBufferStructure>(
    at start: Int, count: Int, size: Int
  ) throws(FlatBufferError) -> [S] {
    var structures: [S] = []
    structures.reserveCapacity(count)
    for index in 0..<count {
      structures.append(try S.read(FlatBufferStruct(self, at: start + index &* size, size: size, slot: 0)))
    }
    return structures
  }
}

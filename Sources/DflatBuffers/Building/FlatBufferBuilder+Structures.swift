// Fixed structs given as bytes.
extension FlatBufferBuilder {
  /// Writes the bytes of a fixed struct that is referenced by an offset.
  public mutating func create(structure bytes: UnsafeRawBufferPointer, alignment: Int) -> FlatBufferOffset {
    checkNoTable()
    return put(structure: bytes, alignment: alignment) ? FlatBufferOffset(size) : FlatBufferOffset(0)
  }

  @discardableResult
  mutating func put(structure bytes: UnsafeRawBufferPointer, alignment: Int) -> Bool {
    precondition(
      !bytes.isEmpty && alignment > 0 && alignment & (alignment - 1) == 0,
      "a struct must have at least one byte, and its alignment must be a power of two")
    guard let start = claim(bytes.count, alignment: alignment) else { return false }
    start.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    return true
  }
}

extension FlatBufferBuilder {
  /// Writes a string. https://flatbuffers.dev/internals/#strings
  ///
  /// - Parameters:
  ///   - string: The string.
  ///   - shared: True to refer to an equal shared string, if there is one, instead of writing another.
  public mutating func create(_ string: String, shared: Bool = false) -> FlatBufferOffset {
    var string = string
    return string.withUTF8 { create(utf8: UnsafeRawBufferPointer($0), shared: shared) }
  }

  /// Writes a string, or returns nil if there is none.
  @_disfavoredOverload
  public mutating func create(_ string: String?, shared: Bool = false) -> FlatBufferOffset? {
    guard let string else { return nil }
    return create(string, shared: shared)
  }

  /// Writes a string from bytes, which must be valid UTF-8.
  public mutating func create(utf8 bytes: UnsafeRawBufferPointer, shared: Bool = false) -> FlatBufferOffset {
    checkNoTable()
    guard shared else { return write(utf8: bytes) }
    let hash = OffsetIndex.hash(bytes)
    let end = UnsafeRawPointer(memory + capacity)
    let found = strings.location(hash: hash) { location in
      UInt32.flatBufferLoad(from: end - location) == UInt32(truncatingIfNeeded: bytes.count)
        && isEqual(bytes, end - location + 4)
    }
    if let found {
      sharedBytes = min(sharedBytes + bytes.count + 4, Int(Int32.max))
      return FlatBufferOffset(found)
    }
    let offset = write(utf8: bytes)
    if offset.location != 0 { strings.insert(Int(offset.location), hash: hash) }
    return offset
  }

  private mutating func write(utf8 bytes: UnsafeRawBufferPointer) -> FlatBufferOffset {
    guard let text = claim(bytes.count + 1, alignment: 4) else { return FlatBufferOffset(0) }
    if let start = bytes.baseAddress { text.copyMemory(from: start, byteCount: bytes.count) }
    text.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    return endVector(count: bytes.count)
  }
}

import DflatSupport

extension OffsetIndex {
  /// Returns a hash of an object's bytes, of which every bit depends on every byte.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(truncatingIfNeeded: BytesHash.hash(bytes))
  }
}

/// Returns true if the memory at `other` holds the same bytes.
func isEqual(_ bytes: UnsafeRawBufferPointer, _ other: UnsafeRawPointer) -> Bool {
  var index = 0
  while bytes.count - index >= 8 {
    if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      != other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    {
      return false
    }
    index += 8
  }
  while index < bytes.count {
    if bytes[index] != other.load(fromByteOffset: index, as: UInt8.self) { return false }
    index += 1
  }
  return true
}

extension OffsetIndex {
  /// Returns an FNV-1a hash, computed eight bytes at a time, with its upper half folded in.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var index = 0
    while bytes.count - index >= 8 {
      hash = (hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0x0000_0100_0000_01B3
      hash ^= hash >> 32
      index += 8
    }
    while index < bytes.count {
      hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
      index += 1
    }
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
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

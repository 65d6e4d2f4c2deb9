extension UnsafeRawBufferPointer {
  /// Returns true if both contain the same bytes.
  @inlinable @inline(__always)
  package func isSame(as other: UnsafeRawBufferPointer) -> Bool { count == other.count && begins(with: other) }

  /// Returns true if both contain the same bytes.
  @inlinable @inline(__always)
  package func isSame(as other: [UInt8]) -> Bool { other.withUnsafeBytes { isSame(as: $0) } }

  /// Returns true if both contain the same bytes, which are equally many. Compares short texts as fast as `memcmp`.
  @inlinable
  package func hasSameWords(as other: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset + 8 <= count {
      let words = (
        loadUnaligned(fromByteOffset: offset, as: UInt64.self),
        other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      )
      if words.0 != words.1 { return false }
      offset += 8
    }
    while offset < count {
      if self[offset] != other[offset] { return false }
      offset += 1
    }
    return true
  }

  @inlinable @inline(__always)
  package func begins(with prefix: UnsafeRawBufferPointer) -> Bool {
    guard count >= prefix.count, prefix.count > 0, let left = baseAddress, let right = prefix.baseAddress else {
      return prefix.count == 0
    }
    return memcmp(left, right, prefix.count) == 0
  }

  @inlinable @inline(__always)
  package func ends(with suffix: UnsafeRawBufferPointer) -> Bool {
    count >= suffix.count && UnsafeRawBufferPointer(rebasing: self[(count - suffix.count)...]).begins(with: suffix)
  }

  /// Compares the bytes like `memcmp`, a prefix before the longer one. Returns a negative number, zero or a positive
  /// number.
  @inlinable @inline(__always)
  package func compare(to other: UnsafeRawBufferPointer) -> Int32 {
    let common = Swift.min(count, other.count)
    if common > 0, let left = baseAddress, let right = other.baseAddress {
      let order = memcmp(left, right, common)
      if order != 0 { return order }
    }
    return count == other.count ? 0 : count < other.count ? -1 : 1
  }
}

/// Validates UTF-8 without creating a string.
///
/// Table 3-7 of the Unicode Standard lists the well-formed sequences.
@usableFromInline
package enum UTF8Check {
  /// Returns the position of the first sequence that is ill-formed, or nil if the bytes are UTF-8.
  @inlinable
  package static func firstInvalid(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    let count = bytes.count
    var index = 0
    while index < count {
      if count - index >= 8, start.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
        index += 8
        continue
      }
      let first = start.load(fromByteOffset: index, as: UInt8.self)
      if first < 0x80 {
        index += 1
        continue
      }
      let length = lengthOfSequence(start + index, first: first, left: count - index)
      guard length > 0 else { return index }
      index += length
    }
    return nil
  }

  /// Returns the length in bytes of the sequence that starts with `first`, which is at least 0x80, or 0 if it is
  /// ill-formed.
  @usableFromInline
  static func lengthOfSequence(_ bytes: UnsafeRawPointer, first: UInt8, left: Int) -> Int {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if first == 0xE0 { second = 0xA0...0xBF }  // no overlong forms
      if first == 0xED { second = 0x80...0x9F }  // no surrogates
    case 0xF0...0xF4:
      length = 4
      if first == 0xF0 { second = 0x90...0xBF }
      if first == 0xF4 { second = 0x80...0x8F }  // nothing beyond U+10FFFF
    default: return 0
    }
    guard left >= length, second.contains(bytes.load(fromByteOffset: 1, as: UInt8.self)) else { return 0 }
    for index in 2..<max(length, 2) where bytes.load(fromByteOffset: index, as: UInt8.self) & 0xC0 != 0x80 { return 0 }
    return length
  }
}

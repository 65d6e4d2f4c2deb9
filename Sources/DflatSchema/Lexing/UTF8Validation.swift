/// Returns the position of the first byte that is not UTF-8 (RFC 3629, section 4: no overlong forms, no surrogates),
/// from a position on, or nil.
func firstInvalidUTF8(in bytes: [UInt8], from start: Int = 0) -> Int? {
  var position = start
  while position < bytes.count {
    let lead = bytes[position]
    if lead < 0x80 {
      position += 1
      continue
    }
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: return position
    }
    guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { return position }
    for next in (position + 2)..<max(position + 2, position + length) where bytes[next] & 0xC0 != 0x80 {
      return position
    }
    position += length
  }
  return nil
}

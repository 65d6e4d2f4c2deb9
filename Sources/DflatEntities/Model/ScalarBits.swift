/// The 64-bit form of numbers. Integers become order-preserving bits, which compare as unsigned numbers: `UInt64` as it
/// is, other integers as an `Int64` with the top bit flipped. Floating-point numbers become the bits of a `Double`,
/// which don't preserve the order; `orderedBits` does.
enum ScalarBits {
  static let no: UInt64 = 1 << 63
  static let yes: UInt64 = 1 << 63 | 1

  @inline(__always)
  static func of(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

  /// Returns the bits of a number; nil for null and text.
  static func of(_ value: QueryValue) -> UInt64? {
    switch value {
    case .integer(let value): of(value)
    case .unsigned(let value): value
    case .real(let value): value.bitPattern
    case .null, .text: nil
    }
  }

  @inline(__always)
  static func signed(_ bits: UInt64) -> Int64 { Int64(bitPattern: bits ^ (1 << 63)) }
}

extension Double {
  /// Order-preserving bits of this number: -0 equals 0, and NaN comes last.
  var orderedBits: UInt64 {
    if isNaN { return .max }
    let bits = (self == 0 ? 0 : self).bitPattern
    return bits >> 63 == 0 ? bits | (1 << 63) : ~bits
  }

  /// Creates the number with these order-preserving bits: 0 for both zeros.
  init(orderedBits bits: UInt64) {
    self = bits == .max ? .nan : Double(bitPattern: bits >> 63 == 0 ? ~bits : bits ^ (1 << 63))
  }
}

extension QueryValue {
  init(bits: UInt64, of type: QueryValueType) {
    switch type {
    case .uint64: self = .unsigned(bits)
    case .float, .double: self = .real(Double(bitPattern: bits))
    default: self = .integer(ScalarBits.signed(bits))
    }
  }
}

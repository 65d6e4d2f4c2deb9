/// A hash of bytes with a random seed of the process, so that no input can be prepared to collide. Multiplies and folds
/// eight bytes at a time, after wyhash (Wang Yi, public domain).
package enum BytesHash {
  private static let seed = UInt64.random(in: .min ... .max)

  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = seed ^ UInt64(bytes.count)
    var offset = 0
    while bytes.count - offset >= 8 {
      hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), 0x9e37_79b9_7f4a_7c15)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return mix(hash ^ rest, 0xe703_7ed1_a0b4_28db)
  }

  private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}

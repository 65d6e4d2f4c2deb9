import DflatSupport

/// A key of one namespace with its hash, computed once per access. Keys are compared by their UTF-8 bytes.
struct HashedKey: Sendable {
  let string: String
  let hash: UInt32
  let namespace: UInt32
}

extension HashedKey {
  init(_ string: String, namespace: UInt32) {
    self.string = string
    self.namespace = namespace
    let seed = HashedKey.seed &+ UInt64(namespace)
    if let hash = string.utf8.withContiguousStorageIfAvailable({ HashedKey.hash(UnsafeRawBufferPointer($0), seed) }) {
      self.hash = hash
    } else {
      var copy = string
      self.hash = copy.withUTF8 { HashedKey.hash(UnsafeRawBufferPointer($0), seed) }
    }
  }

  /// Random in each process, so that an attacker can't prepare keys that collide.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Hashes eight-byte words by folded multiplication, as wyhash does: <https://github.com/wangyi-fudan/wyhash>.
  private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt32 {
    var state = seed ^ fold(UInt64(bytes.count) ^ 0x9e37_79b9_7f4a_7c15, 0xa076_1d64_78bd_642f)
    var offset = 0
    while offset + 8 <= bytes.count {
      state = fold(state ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), 0xe703_7ed1_a0b4_28db)
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < bytes.count {
      tail = tail << 8 | UInt64(bytes[offset])
      offset += 1
    }
    state = fold(state ^ tail, 0x8ebc_6af0_9c88_c6e3)
    return UInt32(truncatingIfNeeded: state ^ state >> 32)
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}

extension HashedKey: Hashable {
  static func == (a: HashedKey, b: HashedKey) -> Bool {
    a.hash == b.hash && a.namespace == b.namespace && a.string.hasSameBytes(as: b.string)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// Spreads the existing hash over the word instead of hashing it again. Mixes in the table's seed: without it, keys
  /// copied from one table in its order would cluster in another table that grows.
  func _rawHashValue(seed: Int) -> Int {
    let mixed = (UInt64(hash) ^ UInt64(truncatingIfNeeded: seed)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
  }
}

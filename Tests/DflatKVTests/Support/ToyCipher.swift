import DflatKV

/// A cipher without cryptography: what matters here is which key has sealed a value.
final class ToyCipher: SealCipher {
  let identifier: UInt64
  init(_ identifier: UInt64) { self.identifier = identifier }

  private func mask(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes.map { $0 ^ UInt8(truncatingIfNeeded: identifier) ^ 0x55 }
  }

  private func tag(_ plaintext: [UInt8], _ place: [UInt8]) -> [UInt8] {
    var hash = identifier &+ 0xcbf2_9ce4_8422_2325
    for byte in place + plaintext { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
    return bytes + bytes
  }

  func seal(_ plaintext: [UInt8], authenticating place: [UInt8]) throws -> [UInt8] {
    (0..<12).map { _ in UInt8.random(in: 0...255) } + mask(plaintext) + tag(plaintext, place)
  }

  func open(_ sealed: [UInt8], authenticating place: [UInt8]) -> [UInt8]? {
    guard sealed.count >= 28 else { return nil }
    let plaintext = mask(sealed.dropFirst(12).dropLast(16))
    return Array(sealed.suffix(16)) == tag(plaintext, place) ? plaintext : nil
  }
}

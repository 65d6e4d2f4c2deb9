#if Sealing
  import Crypto
  import DflatKV

  /// AES-GCM with a key of 256 bits, derived from that of the user.
  final class AESCipher: SealCipher {
    let identifier: UInt64
    private let key: SymmetricKey

    init(_ secret: SymmetricKey) {
      key = Self.derive(from: secret, for: "DflatKV sealed values, version 1", byteCount: 32)
      identifier = Self.derive(from: secret, for: "DflatKV seal key identifier, version 1", byteCount: 8)
        .withUnsafeBytes { bytes in bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }

    private static func derive(from secret: SymmetricKey, for purpose: String, byteCount: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Array(purpose.utf8), outputByteCount: byteCount)
    }

    func seal(_ plaintext: [UInt8], authenticating place: [UInt8]) throws -> [UInt8] {
      let box = try AES.GCM.seal(plaintext, using: key, authenticating: place)
      return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    func open(_ sealed: [UInt8], authenticating place: [UInt8]) -> [UInt8]? {
      guard let box = try? AES.GCM.SealedBox(combined: sealed),
        let plaintext = try? AES.GCM.open(box, using: key, authenticating: place)
      else { return nil }
      return Array(plaintext)
    }
  }
#endif

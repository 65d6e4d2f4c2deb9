#if Sealing
  public import Crypto
  import DflatCore
  import DflatKV

  /// A key of 256 bits that seals the values of a namespace.
  ///
  ///     let key = SealKey.random()
  ///     keychain.store(key.symmetricKey)
  ///     …
  ///     let secrets = workspace.dictionary.namespace("secrets", sealedWith: try SealKey(keychain.load()))
  ///
  /// One key may seal several namespaces, in several files. A value is bound to its namespace and key, but not to its
  /// file. Values are encrypted with AES-GCM, under a key that is derived from this one, and random nonces of 96 bits;
  /// seal no more than 2³² values with one key. Its text forms, also in logs, show nothing of it.
  public struct SealKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key, to be stored in a safe place.
    public let symmetricKey: SymmetricKey
    let cipher: AESCipher

    /// Creates a key.
    ///
    /// - Throws: ``/DflatCore/WorkspaceError`` with code `.unencodable` if it hasn't 256 bits.
    public init(_ key: SymmetricKey) throws {
      guard key.bitCount == Self.bitCount else {
        throw WorkspaceError(
          .unencodable, "A seal key has \(Self.bitCount) bits, not \(key.bitCount); make one with SealKey.random().")
      }
      self.init(ofSize: key)
    }

    private init(ofSize key: SymmetricKey) {
      symmetricKey = key
      cipher = AESCipher(key)
    }

    /// Creates a key of 32 bytes. They should be random: a password has too little entropy.
    ///
    /// - Throws: ``/DflatCore/WorkspaceError`` with code `.unencodable` if there are more or fewer bytes.
    public init(bytes: [UInt8]) throws { try self.init(SymmetricKey(data: bytes)) }

    /// Returns a new random key.
    public static func random() -> SealKey { SealKey(ofSize: SymmetricKey(size: .bits256)) }

    private static let bitCount = 256

    /// Shows nothing of the key.
    public var description: String { "SealKey" }

    /// Shows nothing of the key.
    public var debugDescription: String { description }

    /// Shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif

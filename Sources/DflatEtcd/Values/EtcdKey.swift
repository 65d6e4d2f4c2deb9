#if Etcd

  /// A key: any bytes, in the client's namespace (``EtcdConfiguration/prefix``). etcd orders keys by their bytes.
  ///
  ///     try await client.put("dark", for: "settings/theme")
  ///     try await client.put([1, 2], for: EtcdKey([0x00, 0xff]))
  ///
  /// Two spellings of one text, such as "é" as one character or as two, are two keys.
  public struct EtcdKey: Hashable, Sendable {
    /// The key's bytes, without the client's prefix.
    public let bytes: [UInt8]

    /// Creates a key of bytes.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Creates the key with the UTF-8 bytes of a text.
    public init(_ text: String) { self.init(text.utf8) }
  }

  extension EtcdKey: ExpressibleByStringLiteral {
    /// Creates the key with the UTF-8 bytes of a literal.
    public init(stringLiteral text: String) { self.init(text) }
  }

  extension EtcdKey: Comparable {
    /// Compares bytes, as etcd does.
    public static func < (one: Self, other: Self) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
  }

  extension EtcdKey: CustomStringConvertible {
    /// The key as text, in which U+FFFD replaces bytes that are not UTF-8.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
  }

#endif

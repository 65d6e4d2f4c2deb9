#if Etcd

  /// One key or a range of keys, in the client's namespace.
  ///
  ///     try await client.delete(.prefix("sessions/"))
  ///     try await client.get(.range(from: "log/10", to: "log/20"))
  public struct EtcdKeyRange: Hashable, Sendable {
    enum Bounds: Hashable {
      case key(EtcdKey)
      case prefix(EtcdKey)
      case range(EtcdKey, to: EtcdKey)
      case from(EtcdKey)
    }

    let bounds: Bounds

    /// One key.
    public static func key(_ key: EtcdKey) -> Self { Self(bounds: .key(key)) }

    /// All keys that begin with these bytes.
    public static func prefix(_ prefix: EtcdKey) -> Self { Self(bounds: .prefix(prefix)) }

    /// The keys from one, included, up to another, excluded. A range that ends before it begins has no keys.
    public static func range(from first: EtcdKey, to end: EtcdKey) -> Self { Self(bounds: .range(first, to: end)) }

    /// A key, and all keys after it.
    public static func from(_ first: EtcdKey) -> Self { Self(bounds: .from(first)) }

    /// All keys of the client's namespace.
    public static let all = prefix("")
  }

#endif

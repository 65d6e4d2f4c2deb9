#if Etcd

  /// A key and its value at a revision of the store.
  public struct EtcdEntry: Hashable, Sendable {
    /// The key, without the client's prefix.
    public let key: EtcdKey
    /// The value; empty if the read asked for keys only, and in the deletion that a watch reports.
    public let value: [UInt8]
    /// The revision that created the key after it was last missing.
    public let createRevision: Int64
    /// The revision that wrote this value, or deleted the key.
    public let modRevision: Int64
    /// The number of writes since the key was created; 0 in the deletion that a watch reports.
    public let version: Int64
    /// The lease that deletes the key when it ends, if there is one.
    public let lease: EtcdLease.ID?
  }

#endif

#if Etcd

  /// The time and the keys that a lease has.
  public struct EtcdLeaseStatus: Hashable, Sendable {
    /// The time that is left, in whole seconds.
    public let remaining: Duration
    /// The time after which the lease ends when nobody keeps it alive.
    public let timeToLive: Duration
    /// The lease's keys that are in the client's namespace.
    public let keys: [EtcdKey]
  }

#endif

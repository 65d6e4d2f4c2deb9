#if Etcd

  /// A lease: its keys are deleted when it ends, unless somebody keeps it alive.
  public struct EtcdLease: Hashable, Sendable {
    /// Identifies a lease.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
      /// The number by which etcd knows the lease.
      public let number: Int64

      /// Creates the identity of a lease that is known by its number.
      public init(_ number: Int64) { self.number = number }

      /// The number in hexadecimal digits, as etcdctl prints it.
      public var description: String { String(UInt64(bitPattern: number), radix: 16) }
    }

    /// The lease's identity.
    public let id: ID
    /// The time after which the lease ends, in whole seconds. etcd may have raised the requested time to its minimum.
    public let timeToLive: Duration
  }

#endif

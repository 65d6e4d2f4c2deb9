#if Etcd

  /// A member of the cluster.
  public struct EtcdMember: Hashable, Sendable {
    /// The number by which the cluster knows the member.
    public let id: UInt64
    /// The member's name; empty if it has not started yet.
    public let name: String
    /// The URLs under which it serves clients.
    public let clientURLs: [String]
    /// True if the member only learns and doesn't vote.
    public let isLearner: Bool
  }

#endif

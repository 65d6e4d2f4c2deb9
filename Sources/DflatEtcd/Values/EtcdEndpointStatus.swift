#if Etcd

  /// The state of a member, as one endpoint reports it.
  public struct EtcdEndpointStatus: Hashable, Sendable {
    /// The URL of the endpoint.
    public let endpoint: String
    /// The number of the member that answers.
    public let member: UInt64
    /// The number of the member that leads, from the member's view; nil if it knows none.
    public let leader: UInt64?
    /// etcd's version.
    public let version: String
    /// The store's revision on this member.
    public let revision: Int64
    /// The size of the member's database file, in bytes. The quota limits it.
    public let databaseSize: Int64
    /// The part of the file that is in use, in bytes. Compacting lowers it, defragmenting gives the rest back.
    public let usedSize: Int64
    /// True if the member leads.
    public var isLeader: Bool { leader == member }
  }

#endif

#if Etcd

  /// An alarm of a member. The cluster refuses writes while it stands.
  public struct EtcdAlarm: Hashable, Sendable {
    /// The kinds of alarms.
    public enum Kind: Hashable, Sendable {
      /// The database has reached its quota (`NOSPACE`): delete or compact, then disarm.
      case noSpace
      /// A member's data is damaged (`CORRUPT`).
      case corrupt
      /// An alarm that this version doesn't know, by etcd's name.
      case other(String)
    }

    /// The number of the member that raised it.
    public let member: UInt64
    /// The reason of the alarm.
    public let kind: Kind
  }

#endif

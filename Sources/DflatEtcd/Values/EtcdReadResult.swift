#if Etcd

  /// The result of reading a range.
  public struct EtcdReadResult: Hashable, Sendable {
    /// The entries, ordered by key unless the read asked for another order.
    public let entries: [EtcdEntry]
    /// The number of keys in the range, including those that the limit left out.
    public let count: Int
    /// The store's revision when it was read. Watch from here to miss nothing (``EtcdClient/watch(_:after:reportingPrevious:onInterruption:)``).
    public let revision: Int64

    /// True if the limit left entries out.
    public var hasMore: Bool { count > entries.count }
  }

#endif

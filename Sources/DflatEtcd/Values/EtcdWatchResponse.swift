#if Etcd

  /// Changes of watched keys.
  public struct EtcdWatchResponse: Hashable, Sendable {
    /// The revision of the last change. The watch has delivered all changes up to here.
    public let revision: Int64
    /// The changes in the order of their revisions. All changes of one revision are in one response.
    public let events: [EtcdEvent]
  }

#endif

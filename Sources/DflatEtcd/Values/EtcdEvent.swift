#if Etcd

  /// A change of a key.
  public struct EtcdEvent: Hashable, Sendable {
    /// The kind of the change.
    public enum Kind: Hashable, Sendable {
      /// A value was written.
      case put
      /// The key was deleted.
      case delete
    }

    /// The kind of the change.
    public let kind: Kind
    /// The key after the change. A deletion has no value, and `modRevision` is its revision.
    public let entry: EtcdEntry
    /// The key before the change, if the watch asked for it, the key existed, and its value was not compacted.
    public let previous: EtcdEntry?
  }

#endif

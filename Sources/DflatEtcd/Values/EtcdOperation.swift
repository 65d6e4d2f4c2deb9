#if Etcd

  /// An operation of a transaction.
  public enum EtcdOperation: Hashable, Sendable {
    /// Reads a range. It sees what earlier operations of the transaction wrote.
    case get(EtcdKeyRange, EtcdReadOptions = EtcdReadOptions())
    /// Writes a value, with the lease that deletes it when it ends, if one is given.
    case put([UInt8], for: EtcdKey, lease: EtcdLease.ID? = nil)
    /// Deletes the keys of a range.
    case delete(EtcdKeyRange)

    var isRead: Bool {
      if case .get = self { return true }
      return false
    }
  }

#endif

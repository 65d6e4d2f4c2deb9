#if Etcd

  /// The result of a transaction.
  public struct EtcdTransactionResult: Hashable, Sendable {
    /// The result of one operation.
    public enum OperationResult: Hashable, Sendable {
      /// The entries that a read found.
      case read(EtcdReadResult)
      /// A write was done.
      case put
      /// The number of keys that a deletion removed.
      case deleted(Int)
    }

    /// True if all comparisons held, so that the first list of operations was carried out; otherwise the second was.
    public let isSuccess: Bool
    /// The store's revision after the transaction.
    public let revision: Int64
    /// The results of the operations that were carried out, in their order.
    public let results: [OperationResult]
  }

#endif

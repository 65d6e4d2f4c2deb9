#if Etcd

  /// Options for reading a range.
  ///
  ///     var options = EtcdReadOptions()
  ///     options.limit = 100
  ///     options.order = .descending
  ///     let newest = try await client.get(.prefix("log/"), options)
  public struct EtcdReadOptions: Hashable, Sendable {
    /// The order of the entries by their keys.
    public enum Order: Hashable, Sendable {
      /// The smallest key first.
      case ascending
      /// The largest key first.
      case descending
    }

    /// The largest number of entries to return; nil for all. 0 only counts.
    public var limit: Int?
    /// The order of the entries.
    public var order = Order.ascending
    /// The revision to read at; nil for the newest. Revisions that were compacted can't be read (`.compacted`).
    public var revision: Int64?
    /// Leaves values out.
    public var keysOnly = false
    /// Reads what the member that answers has, which can be out of date, instead of asking the others. A serializable
    /// read works without a majority of the members.
    public var isSerializable = false

    /// Creates the options of a read of all entries at the newest revision.
    public init() {}
  }

#endif

#if Etcd

  /// Decides which endpoint to use: the same one, until it fails.
  struct EndpointRotation {
    private let count: Int
    private(set) var current: Int

    init(count: Int, first: Int) {
      self.count = count
      self.current = first
    }

    /// Moves on from an endpoint that failed. Of several calls that fail on one endpoint, only the first moves on.
    mutating func moveOn(from failed: Int) {
      if current == failed { current = (failed + 1) % count }
    }
  }

#endif

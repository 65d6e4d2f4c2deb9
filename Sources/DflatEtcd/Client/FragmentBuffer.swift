#if Etcd

  import NIOCore

  /// Joins the parts into which etcd splits large messages ("fragments"), so that the changes of one revision stay
  /// together.
  struct FragmentBuffer {
    private let limit: Int
    /// Changes of one revision, more of which may follow.
    private var held: [EtcdEvent] = []
    /// The size of the messages that had them, in bytes.
    private var heldSize = 0

    /// - Parameter limit: The largest size of the messages that are held back, in bytes.
    init(limit: Int) { self.limit = limit }

    /// Adds a message's changes. Returns all changes of revisions that are complete.
    ///
    /// - Parameters:
    ///   - isFragment: True if the next message continues this one.
    ///   - size: The size of the message, in bytes.
    /// - Throws: `NIOTooManyBytesError` if a revision exceeds the limit.
    mutating func add(_ events: [EtcdEvent], isFragment: Bool, size: Int) throws -> [EtcdEvent] {
      held += events
      heldSize += size
      guard isFragment, let last = held.last?.entry.modRevision else { return takeHeld(held.count) }
      let complete = held.lastIndex { $0.entry.modRevision != last }.map { $0 + 1 } ?? 0
      // Of the held changes, at most this message's are left.
      if complete > 0 { heldSize = size }
      guard heldSize <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
      return takeHeld(complete)
    }

    private mutating func takeHeld(_ count: Int) -> [EtcdEvent] {
      defer { held.removeFirst(count) }
      if count == held.count { heldSize = 0 }
      return Array(held.prefix(count))
    }
  }

#endif

import DflatCore

/// Values taken out of the shards, to be released under no lock (A11): releasing one may run code of the program, such
/// as the deinitializer of a decoded object. Doesn't keep values whose release runs no such code, so a cache of numbers
/// and strings allocates nothing here.
struct DisplacedValues {
  private var values: [CachedValue] = []
  private var entries: [[HashedKey: Shard.Entry]] = []

  var isEmpty: Bool { values.isEmpty && entries.isEmpty }

  @inline(__always)
  mutating func keep(_ value: CachedValue) {
    if value.mayRunUserCode { values.append(value) }
  }

  mutating func keep(_ operations: [Operation]) {
    operations.withUnsafeBufferPointer { operations in
      for index in operations.indices {
        if case .set(_, let value) = operations[index] { keep(value) }
      }
    }
  }

  mutating func keep(_ committed: [HashedKey: Shard.Entry]) {
    if !committed.isEmpty { entries.append(committed) }
  }

  mutating func keep(_ other: DisplacedValues) {
    if values.isEmpty { values = other.values } else { values += other.values }
    entries += other.entries
  }

  /// Returns a callback that releases the values on the delivery queue, where any call is allowed. Nil if there are
  /// none.
  var delivery: Delivery? {
    if isEmpty { return nil }
    // Emptied by the callback, because the publication may release the callback itself last, under its lock.
    let held = Lock(self)
    return {
      let values = held.withLock { held in
        defer { held = DisplacedValues() }
        return held
      }
      withExtendedLifetime(values) {}
    }
  }
}

extension DictionaryStore {
  /// Frees the names of unused namespaces if a sweep is due.
  func sweepNamespacesIfDue() { if namespaces.isSweepDue { sweepNamespaces() } }

  func sweepNamespaces() {
    namespaces.sweep {
      var numbers: Set<UInt32> = []
      var keys = 0
      func mark(_ number: UInt32) { if number != 0 { numbers.insert(number) } }
      for index in 0..<ShardTable.count {
        shards.withShard(at: index) { shard in
          keys += shard.committed.count
          for key in shard.committed.keys { mark(key.namespace) }
          for key in shard.observers.keys { mark(key.namespace) }
          for overlay in [shard.pending, shard.flushing] {
            for key in overlay.values.keys { mark(key.namespace) }
            for removal in overlay.removals.ranges { mark(removal.namespace) }
          }
        }
      }
      for key in unreadable.all { mark(key.namespace) }
      return (numbers, keys)
    }
  }
}

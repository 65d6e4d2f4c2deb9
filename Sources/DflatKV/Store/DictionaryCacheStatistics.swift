/// The size of a dictionary's cache, and the reads that it answered.
public struct DictionaryCacheStatistics: Sendable, Hashable {
  /// The number of keys in the cache, of all namespaces. It includes keys that are known to have no value.
  public internal(set) var entries: Int
  /// The number of reads of one key that the cache answered, since the workspace was opened.
  public internal(set) var hits: UInt64
  /// The number of reads of one key that went to the file, since the workspace was opened.
  public internal(set) var misses: UInt64
}

extension DictionaryStore {
  /// The counts of all shards, of which each is consistent in itself.
  var cacheStatistics: DictionaryCacheStatistics {
    var sum = DictionaryCacheStatistics(entries: 0, hits: 0, misses: 0)
    for index in 0..<ShardTable.count {
      shards.withShard(at: index) { shard in
        sum.entries += shard.committed.count
        sum.hits += shard.hits
        sum.misses += shard.misses
      }
    }
    return sum
  }
}

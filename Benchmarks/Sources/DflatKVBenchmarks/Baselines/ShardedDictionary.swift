import Synchronization

/// A hand-written dictionary for several threads: 16 dictionaries, each behind its own mutex.
final class ShardedDictionary: Sendable {
  private final class Shard: Sendable {
    let values = Mutex<[String: Int]>([:])
  }

  private let shards = (0..<16).map { _ in Shard() }

  subscript(key: String) -> Int? {
    get { shard(of: key).values.withLock { $0[key] } }
    set { shard(of: key).values.withLock { $0[key] = newValue } }
  }

  private func shard(of key: String) -> Shard {
    shards[key.hashValue & 15]
  }
}

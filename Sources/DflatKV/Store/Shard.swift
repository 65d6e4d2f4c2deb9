import DflatCore

/// One part of the cache, behind one lock: all that is known of the keys whose hash falls into it.
struct Shard: ~Copyable {
  let lock = RawLock()
  /// Only between `lock.lock()` and `lock.unlock()`.
  var state = State()

  struct State {
    /// The dictionary as of the newest published commit, as far as it was asked for (A2).
    var committed: [HashedKey: Entry] = [:]
    /// Plain writes that wait, and those that are in the open group (A5).
    var pending = Overlay()
    var flushing = Overlay()
    var observers: [HashedKey: [KeyObserver]] = [:]
    /// Commits up to this one may have changed keys that are not in `committed`: a load from an older view is not
    /// kept (A8).
    var floor: UInt64 = 0
    var absences = 0
    var bytes = 0
    var isClosed = false
  }

  struct Entry {
    var commitNumber: UInt64
    var value: CachedValue
    /// Set by reads while the cache is bounded: it survives the next sweep.
    var wasRead = false
  }

  /// Removals of whole ranges, then single writes that came after them.
  struct Overlay {
    var clears: [Clear] = []
    var values: [HashedKey: CachedValue] = [:]

    @inline(__always)
    var isEmpty: Bool { values.isEmpty && clears.isEmpty }

    /// Nil when the overlay says nothing of the key.
    func value(of key: HashedKey) -> CachedValue? {
      if !values.isEmpty, let value = values[key] { return value }
      return clears.contains { $0.covers(key) } ? .absent : nil
    }

    mutating func clear(_ clear: Clear) {
      values = values.filter { !clear.covers($0.key) }
      clears.append(clear)
    }
  }
}

/// The removal of all keys of a namespace that begin with a prefix.
struct Clear: Sendable, Hashable {
  let namespace: UInt32
  let prefix: String

  func covers(_ key: HashedKey) -> Bool { key.namespace == namespace && key.string.hasBytePrefix(prefix) }
}

extension Shard.State {
  typealias Entry = Shard.Entry

  /// What a plain read sees, if it is known: the overlay first (A5).
  @inline(__always)
  func visible(_ key: HashedKey) -> CachedValue? {
    if !pending.isEmpty, let value = pending.value(of: key) { return value }
    if !flushing.isEmpty, let value = flushing.value(of: key) { return value }
    return committed[key]?.value
  }

  /// The committed entry moves to a newer value.
  mutating func store(_ value: CachedValue, for key: HashedKey, at commitNumber: UInt64) {
    let old = committed.updateValue(Entry(commitNumber: commitNumber, value: value), forKey: key)
    account(key, old: old?.value, new: value)
  }

  /// Forgets an entry; loads from views older than `commitNumber` are not kept from now on.
  mutating func forget(_ key: HashedKey, at commitNumber: UInt64) {
    if let old = committed.removeValue(forKey: key) { account(key, old: old.value, new: nil) }
    floor = max(floor, commitNumber)
  }

  private mutating func account(_ key: HashedKey, old: CachedValue?, new: CachedValue?) {
    if let old {
      if old.isAbsent { absences -= 1 }
      bytes -= old.byteCost + key.byteCost
    }
    if let new {
      if new.isAbsent { absences += 1 }
      bytes += new.byteCost + key.byteCost
    }
  }
}

extension HashedKey {
  /// What its entry takes in memory, about.
  var byteCost: Int { string.utf8.count + 96 }
}

/// The shards, side by side in memory, each on cache lines of its own.
final class ShardTable: @unchecked Sendable {  // each shard guards itself
  static let count = 16

  private struct Padded: ~Copyable {
    var shard = Shard()
    let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
  }

  private let shards: UnsafeMutablePointer<Padded>

  init() {
    shards = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (shards + index).initialize(to: Padded()) }
  }

  deinit {
    shards.deinitialize(count: Self.count)
    shards.deallocate()
  }

  /// Runs `body` on the shard of a key, locked.
  @inline(__always)
  func withShard<T>(of key: HashedKey, _ body: (inout Shard.State) throws -> T) rethrows -> T {
    try withShard(at: Int(key.hash >> 28), body)
  }

  @inline(__always)
  func withShard<T>(at index: Int, _ body: (inout Shard.State) throws -> T) rethrows -> T {
    let shard = shards + index
    shard.pointee.shard.lock.lock()
    defer { shard.pointee.shard.lock.unlock() }
    return try body(&shard.pointee.shard.state)
  }

  /// Runs `body` with all shards locked, in the order of their indices.
  func withAll<T>(_ body: (Locked) throws -> T) rethrows -> T {
    for index in 0..<Self.count { shards[index].shard.lock.lock() }
    defer { for index in 0..<Self.count { shards[index].shard.lock.unlock() } }
    return try body(Locked(table: self))
  }

  /// All shards, locked by the caller.
  struct Locked {
    fileprivate let table: ShardTable

    func withShard<T>(of key: HashedKey, _ body: (inout Shard.State) throws -> T) rethrows -> T {
      try body(&table.shards[Int(key.hash >> 28)].shard.state)
    }

    func forEachShard(_ body: (inout Shard.State) throws -> Void) rethrows {
      for index in 0..<ShardTable.count { try body(&table.shards[index].shard.state) }
    }
  }
}

import DflatCore
import DflatSQLite

extension DictionaryStore {
  /// Returns the value that a read on this thread sees: the transaction's or snapshot's if the thread is inside one,
  /// otherwise the first found in overlay, cache and file.
  /// A value that has expired is absent.
  func read(_ key: HashedKey) throws -> CachedValue {
    if ThreadContext.isNone { return try readPlain(key).visible(at: core.options.wallClock.now()) }
    return try visibleInContext(readInContext(key))
  }

  /// Returns the instant at which a key's value expires; nil if it doesn't, or if there is none.
  func expiration(of key: HashedKey) throws -> Expiration? {
    let value = try readInContext(key)
    return try visibleInContext(value).isAbsent ? nil : value.expiration
  }

  private func visibleInContext(_ value: CachedValue) throws -> CachedValue {
    if value.expiration == nil { return value }
    let now = try readingTime()
    return value.visible(at: now)
  }

  /// Returns a value as it is stored, whether or not it has expired.
  private func readInContext(_ key: HashedKey) throws -> CachedValue {
    if !ForkGuard.isOriginal { throw core.forkError }
    return switch try core.readingRole() {
    case .transaction(let transaction): try read(key, in: transaction)
    case .snapshot(let snapshot): try read(key, in: snapshot)
    case .callback, .worker, .encoding, nil: try readPlain(key)
    }
  }

  // MARK: Plain reads

  func readPlain(_ key: HashedKey) throws -> CachedValue {
    if !ForkGuard.isOriginal { throw core.forkError }
    if let hit = try peek(key) { return hit }
    return try load(key)
  }

  /// Returns a key's value if it is in memory, in the overlay or the cache.
  func peek(_ key: HashedKey) throws -> CachedValue? {
    if let hit = shards.hit(key) { return hit }
    if shards.withShard(of: key, { $0.isClosed }) { throw core.shutdownError }
    return nil
  }

  private func load(_ key: HashedKey) throws -> CachedValue {
    let name = name(of: key)
    var row: DictionaryRow?
    var (view, epoch): (UInt64, Int) = (0, 0)
    let hasFile = try withUncountedCore {
      try $0.readView { connection, commitNumber in
        try findExpiring(on: connection)
        row = try DictionaryTable.load(key.string, in: name, on: connection)
        (view, epoch) = (commitNumber, connection.epoch)
      }
    }
    Failpoint.loadedBeforeFill.reach(in: core)
    // Without a file, the absence isn't cached: nothing is watched yet, and another process may create the file.
    guard hasFile else { return try peek(key) ?? .absent }
    return shards.withShard(of: key) { shard, displaced in
      shard.misses &+= 1
      if let visible = shard.visible(key) { return visible }
      // There is no entry, or it would be visible.
      cache(key, with: row, from: view, in: epoch, in: &shard, displacing: &displaced)
      return row?.value ?? .absent
    }
  }

  /// Caches a loaded row, or its absence, unless a newer entry or commit came in between (A8).
  private func fill(
    _ key: HashedKey, with row: DictionaryRow?, from view: UInt64, in epoch: Int, in shard: inout Shard.State,
    displacing displaced: inout DisplacedValues
  ) {
    shard.misses &+= 1
    if shard.committed[key] == nil { cache(key, with: row, from: view, in: epoch, in: &shard, displacing: &displaced) }
  }

  /// Caches a loaded row of a key that has no entry, or its absence, unless a newer commit came in between (A8).
  @inline(__always)
  private func cache(
    _ key: HashedKey, with row: DictionaryRow?, from view: UInt64, in epoch: Int, in shard: inout Shard.State,
    displacing displaced: inout DisplacedValues
  ) {
    guard mayCache(loadedFrom: view, in: epoch, in: shard) else { return }
    shard.store(row?.value ?? .absent, for: key, at: row?.cacheableNumber(in: view) ?? view, displacing: &displaced)
    shard.trim(limit: limit, displacing: &displaced)
  }

  /// Returns true if a value loaded from a view may be cached for a key that has no entry: no commit after the view has
  /// changed the key (A8), and the view isn't that of a file that another one has replaced.
  func mayCache(loadedFrom view: UInt64, in epoch: Int, in shard: borrowing Shard.State) -> Bool {
    view >= shard.oldestCacheableCommit && withUncountedCore { view <= $0.publishing && epoch == $0.epoch }
  }

  // MARK: Transactions

  /// Returns the transaction's own write, its group's, or the committed value, which can't change while the transaction
  /// holds the write token.
  func read(_ key: HashedKey, in transaction: TransactionContext) throws -> CachedValue {
    let group = try transaction.joinedGroup()
    if let staged = transaction.changes(of: self).value(of: key) { return staged }
    if let applied = group.changedValue(of: key) { return applied }
    if let cached = shards.withShard(of: key, { $0.readCommitted(key) }) { return cached }
    let row = try transaction.reading {
      try group.reading { connection in
        try findExpiring(on: connection)
        return try DictionaryTable.load(key.string, in: name(of: key), on: connection)
      }
    }
    shards.withShard(of: key) {
      fill(key, with: row, from: group.commitNumber - 1, in: core.epoch, in: &$0, displacing: &$1)
    }
    return row?.value ?? .absent
  }

  // MARK: Snapshots

  /// Returns the snapshot's value of a key. A cached entry answers if the cache is at least as new as the snapshot and
  /// the entry isn't newer (A6).
  func read(_ key: HashedKey, in snapshot: Snapshot) throws -> CachedValue {
    if let recorder = snapshot.recorder { reads(in: recorder).note(key) }
    if case .pinned(let reader, let commitNumber) = snapshot.state, core.publication.published >= commitNumber {
      let cached = shards.withShard(of: key) { $0.readCommitted(key) { $0.commitNumber <= commitNumber } }
      // After the read: an entry of another epoch is there only if the epoch has begun.
      if let cached, reader.connection.epoch == core.epoch { return cached }
    }
    var row: DictionaryRow?
    var (view, epoch): (UInt64, Int) = (0, 0)
    let hasFile: Void? = try snapshot.read { connection, commitNumber in
      try findExpiring(on: connection)
      row = try DictionaryTable.load(key.string, in: name(of: key), on: connection)
      (view, epoch) = (commitNumber, connection.epoch)
    }
    // Not in the snapshot's call, which throws if the row may be of another commit.
    guard hasFile != nil else { return .absent }
    shards.withShard(of: key) { fill(key, with: row, from: view, in: epoch, in: &$0, displacing: &$1) }
    return row?.value ?? .absent
  }
}

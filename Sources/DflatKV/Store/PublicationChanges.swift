import DflatCore

/// Moves the shards to a commit and collects the changes for observers. Lives for one publication.
struct PublicationChanges {
  private let store: DictionaryStore
  private let commitNumber: UInt64
  private let prefixes: [PrefixObserver]
  /// The time of the publication, by which a value that is gone may have expired.
  private let now: Int64
  private var keyed: [(KeyObserver, DictionaryChange)] = []
  /// For each member that moved, the keys whose cached values stayed the same. Collected only for prefix observers.
  private var unchanged: [Set<HashedKey>] = []
  /// The values that left the cache, to be released after the publication (A11).
  var displaced = DisplacedValues()

  init(store: DictionaryStore, commitNumber: UInt64) {
    self.store = store
    self.commitNumber = commitNumber
    self.prefixes = store.prefixObservers.all
    now = store.core.options.wallClock.now()
  }

  /// Applies the changes of one group member to all shards at once.
  mutating func move(_ locked: ShardTable.Locked, _ member: MemberChanges, keepsUnknown: Bool) {
    let (removals, rewritten) = (member.removals, member.rewritten)
    if !removals.isEmpty { locked.forEachShard { remove(removals, from: &$0, except: rewritten) } }
    var same: Set<HashedKey> = []
    for operation in member {
      switch operation {
      case .set(let key, let value):
        locked.withShard(of: key) { shard in
          if !prefixes.isEmpty, shard.committed[key]?.value.isIdentical(to: value) == true { same.insert(key) }
          move(&shard, key, to: value, keepsUnknown: keepsUnknown)
        }
      case .expire(let key):
        locked.withShard(of: key) { move(&$0, key, to: .absent, isExpired: true, keepsUnknown: keepsUnknown) }
      case .keep, .removePrefix: continue
      }
    }
    if !prefixes.isEmpty { unchanged.append(same) }
  }

  /// Applies a key's new value. A key that is neither cached nor observed is cached only if `keepsUnknown`.
  mutating func move(
    _ shard: inout Shard.State, _ key: HashedKey, to value: CachedValue, isExpired: Bool = false, keepsUnknown: Bool
  ) {
    let observers = shard.observers.isEmpty ? nil : shard.observers[key]
    if let observers {
      let old = shard.committed[key]?.value ?? .absent
      let expiration: Expiration? = isExpired ? .past : old.expiration
      if shard.takeUnread(key) {
        notify(observers.filter { $0.catchUp(with: value, after: old) }, key, value, after: expiration)
      } else if !old.isIdentical(to: value) {
        notify(observers, key, value, after: expiration)
      }
    }
    if keepsUnknown || observers != nil || shard.committed[key] != nil {
      shard.store(value, for: key, at: commitNumber, displacing: &displaced)
    } else {
      shard.oldestCacheableCommit = max(shard.oldestCacheableCommit, commitNumber)
    }
  }

  /// Applies the removal of ranges. Keys that nobody observes leave the cache, so that the removal takes no memory.
  private mutating func remove(
    _ removals: PrefixRangeSet, from shard: inout Shard.State, except rewritten: Set<HashedKey>
  ) {
    shard.oldestCacheableCommit = max(shard.oldestCacheableCommit, commitNumber)
    shard.visits += shard.committed.count
    for key in shard.committed.keys where removals.covers(key) && !rewritten.contains(key) {
      if shard.observers[key] != nil {
        move(&shard, key, to: .absent, keepsUnknown: false)
      } else {
        shard.forget(key, at: commitNumber, displacing: &displaced)
      }
    }
    // Keys without an entry, of which the observers know an earlier value.
    for key in shard.unread.keys where removals.covers(key) && !rewritten.contains(key) {
      move(&shard, key, to: .absent, keepsUnknown: false)
    }
  }

  private mutating func notify(
    _ observers: some Sequence<KeyObserver>, _ key: HashedKey, _ value: CachedValue, after expiration: Expiration?
  ) {
    let change = change(key, value, after: expiration, at: commitNumber)
    for observer in observers { keyed.append((observer, change)) }
  }

  /// - Parameter expiration: The instant at which the previous value was to expire. What is removed later has expired,
  ///   whatever removes it: readers don't see it any more.
  func change(
    _ key: HashedKey, _ value: CachedValue, after expiration: Expiration? = nil, at commitNumber: UInt64
  ) -> DictionaryChange {
    let isExpired = expiration.map { $0.milliseconds <= now } ?? false
    return DictionaryChange(
      event: !value.isAbsent ? .updated : isExpired ? .expired : .deleted, namespace: store.name(of: key),
      key: key.string,
      commitNumber: commitNumber, value: value, context: store.deliveryContext)
  }

  /// Returns the callbacks of the key observers, in the order of the changes, then those of the prefix observers.
  func deliveries(after members: [MemberChanges]) -> [Delivery] {
    var deliveries: [Delivery] = []
    if !keyed.isEmpty {
      let keyed = keyed
      deliveries.append { for (observer, change) in keyed { observer.deliver(change) } }
    }
    if prefixes.isEmpty { return deliveries }
    let members = members.enumerated().map { index, changes in
      (
        changes: changes, removals: changes.removals, rewritten: changes.rewritten,
        same: index < unchanged.count ? unchanged[index] : []
      )
    }
    for observer in prefixes {
      let changes = members.flatMap { member -> [DictionaryChange] in
        let removed = observer.take(member.removals, except: member.rewritten).map {
          change($0.key, .absent, after: $0.expiration, at: commitNumber)
        }
        return removed + member.changes.flatMap { self.changes(of: $0, except: member.same, for: observer) }
      }
      if !changes.isEmpty { deliveries.append { for change in changes { observer.deliver(change) } } }
    }
    return deliveries
  }

  private func changes(
    of operation: Operation, except same: Set<HashedKey>, for observer: PrefixObserver
  ) -> [DictionaryChange] {
    switch operation {
    case .set(let key, let value) where !value.isAbsent:
      guard observer.range.covers(key) else { return [] }
      observer.note(key, expiring: value.expiration)
      return same.contains(key) ? [] : [change(key, value, at: commitNumber)]
    case .set(let key, _):
      guard observer.range.covers(key), let gone = observer.noteRemoval(of: key) else { return [] }
      return [change(key, .absent, after: gone.expiration, at: commitNumber)]
    case .expire(let key):
      guard observer.range.covers(key), observer.noteRemoval(of: key) != nil else { return [] }
      return [change(key, .absent, after: .past, at: commitNumber)]
    case .keep, .removePrefix: return []
    }
  }
}

import DflatCore

/// One part of the cache behind one lock: the state of all keys whose hash falls into it.
enum Shard {
  struct State {
    /// The dictionary as of the newest published commit, as far as it was loaded (A2).
    var committed: [HashedKey: Entry] = [:]
    /// Plain writes that no group has taken yet (A5).
    var pending = Overlay()
    /// Plain writes in the open group (A5).
    var flushing = Overlay()
    var observers: [HashedKey: OrderedBag<KeyObserver>] = [:]
    /// The observed keys whose newest values could not be read when they changed, or when an observer began, and
    /// whether the reason may pass. Some of their observers are `outdated`.
    var unread: [HashedKey: Bool] = [:]
    /// The oldest cacheable commit. Commits up to this one may have changed keys that have no entry in `committed`, so
    /// a load from an older view is not cached (A8).
    var oldestCacheableCommit: UInt64 = 0
    /// The number of absences that can be evicted: those of keys that nobody observes.
    var absences = 0
    /// The size of all entries of a bounded cache, and what of them can't be evicted, because their keys are observed.
    var bytes = 0
    var pinned = Pinned()
    /// The numbers of reads of one key that the cache answered, and of those that went to the file.
    var hits: UInt64 = 0
    var misses: UInt64 = 0
    /// The number of entries that removals and evictions have looked at, for tests.
    var visits = 0
    var isClosed = false
    /// True if the cache is bounded, so that eviction needs to know which entries were read.
    let marksReads: Bool

    init(marksReads: Bool) { self.marksReads = marksReads }
  }

  /// The number and the size of a bounded cache's entries of observed keys.
  struct Pinned: Equatable {
    var entries = 0
    var bytes = 0
  }

  /// A cached value. Takes 16 bytes, because a cache holds many; the commit number has 48 bits here
  /// (`CommitNumber.highest`).
  struct Entry {
    var value: CachedValue
    /// True if the entry of a bounded cache was read since the last sweep; it survives the next one.
    var wasRead = false
    private let highBits: UInt16
    private let lowBits: UInt32

    var commitNumber: UInt64 { UInt64(highBits) << 32 | UInt64(lowBits) }

    init(commitNumber: UInt64, value: CachedValue) {
      self.value = value
      highBits = UInt16(commitNumber >> 32)
      lowBits = UInt32(truncatingIfNeeded: commitNumber)
    }
  }

  /// Prefix removals, then the single writes that came after them.
  struct Overlay {
    var removals = PrefixRangeSet()
    var values: [HashedKey: CachedValue] = [:]
    /// The keys that plain writes have removed alone before they have set them. The values' seals don't keep these
    /// writes out: see `EarlierChanges`.
    private(set) var rewritten: Set<HashedKey> = []

    @inline(__always)
    var isEmpty: Bool { values.isEmpty && removals.isEmpty }

    /// Returns nil if the overlay has no entry for the key.
    func value(of key: HashedKey) -> CachedValue? {
      if !values.isEmpty, let value = values[key] { return value }
      return !removals.isEmpty && removals.covers(key) ? .absent : nil
    }

    /// Notes that a plain write has replaced another one of the overlay.
    @inline(__always)
    mutating func noteWrite(of value: CachedValue, for key: HashedKey, over earlier: CachedValue) {
      if earlier.isAbsent || !rewritten.isEmpty { updateRewritten(by: value, for: key, over: earlier) }
    }

    private mutating func updateRewritten(by value: CachedValue, for key: HashedKey, over earlier: CachedValue) {
      if value.isAbsent {
        rewritten.remove(key)
      } else if earlier.isAbsent {
        rewritten.insert(key)
      } else if rewritten.contains(key), !value.sealAuthority.mayReplace(waiting: earlier) {
        // The write between the removal and this one would keep it out, so it gains nothing from the removal.
        rewritten.remove(key)
      }
    }

    /// Puts back the value that a refused write has replaced, if any.
    mutating func restore(_ value: CachedValue?, for key: HashedKey) {
      values[key] = value
      if !rewritten.isEmpty { rewritten.remove(key) }
    }

    /// Adds later plain writes to single keys. Returns the values that they replace.
    mutating func add(_ later: Overlay) -> [HashedKey: CachedValue] {
      if values.isEmpty {
        (values, rewritten) = (later.values, later.rewritten)
        return [:]
      }
      var replaced: [HashedKey: CachedValue] = [:]
      for (key, value) in later.values {
        if let old = values.updateValue(value, forKey: key) {
          replaced[key] = old
          noteWrite(of: value, for: key, over: old)
        }
        if later.rewritten.contains(key) { rewritten.insert(key) }
      }
      return replaced
    }

    /// Returns the values before the removals. Unless others hold them too, release them under no lock (A11).
    @discardableResult
    mutating func remove(_ later: PrefixRangeSet) -> [HashedKey: CachedValue] {
      let before = values
      if later.isEmpty { return before }
      values = before.filter { !later.covers($0.key) }
      if !rewritten.isEmpty { rewritten = rewritten.filter { !later.covers($0) } }
      for removal in later.ranges { removals.insert(removal) }
      return before
    }
  }
}

extension Shard.State {
  typealias Entry = Shard.Entry

  /// Returns the value that a plain read sees, if it is in memory: from the overlay first (A5).
  // Mutating only so that the state is used in place, not copied.
  @inline(__always)
  mutating func visible(_ key: HashedKey) -> CachedValue? {
    if !pending.isEmpty, let value = pending.value(of: key) { return value }
    if !flushing.isEmpty, let value = flushing.value(of: key) { return value }
    return committed[key]?.value
  }

  /// Returns a committed entry for a read, and counts the read.
  mutating func readCommitted(_ key: HashedKey, where isUsable: (Entry) -> Bool = { _ in true }) -> CachedValue? {
    guard let entry = committed[key], isUsable(entry) else { return nil }
    hits &+= 1
    return entry.value
  }

  /// Replaces a committed entry.
  mutating func store(
    _ value: CachedValue, for key: HashedKey, at commitNumber: UInt64, displacing displaced: inout DisplacedValues
  ) {
    assert(!value.isDeferred, "The cache can't contain a value that isn't encoded.")
    let old = committed.updateValue(Entry(commitNumber: commitNumber, value: value), forKey: key)
    account(key, old: old?.value, new: value)
    if let old { displaced.keep(old.value) }
  }

  /// Removes an entry. From now on, loads from views older than `commitNumber` are not cached.
  mutating func forget(_ key: HashedKey, at commitNumber: UInt64, displacing displaced: inout DisplacedValues) {
    if let old = committed.removeValue(forKey: key) {
      account(key, old: old.value, new: nil)
      displaced.keep(old.value)
    }
    oldestCacheableCommit = max(oldestCacheableCommit, commitNumber)
  }

  private mutating func account(_ key: HashedKey, old: CachedValue?, new: CachedValue?) {
    if let old, old.isAbsent, !isObserved(key) { absences -= 1 }
    if let new, new.isAbsent, !isObserved(key) { absences += 1 }
    // An unbounded cache has no use for the size.
    guard marksReads else { return }
    if let old { count(key, old, by: -1) }
    if let new { count(key, new, by: 1) }
  }

  /// Adds an entry of a bounded cache to the counts, or takes it away, once or minus once.
  private mutating func count(_ key: HashedKey, _ value: CachedValue, by count: Int) {
    let cost = count * (value.byteCost + key.byteCost)
    bytes += cost
    guard isObserved(key) else { return }
    pinned.entries += count
    pinned.bytes += cost
  }

  @inline(__always)
  private func isObserved(_ key: HashedKey) -> Bool { !observers.isEmpty && observers[key] != nil }

  /// Adds an observer of a key. The key's entry is not evicted from now on.
  mutating func add(_ observer: KeyObserver, of key: HashedKey) {
    let value = committed[key]?.value
    account(key, old: value, new: nil)
    observer.token = observers[key, default: OrderedBag()].append(observer)
    account(key, old: nil, new: value)
  }

  /// Removes an observer of a key. After the last one, the key's entry can be evicted.
  mutating func remove(_ observer: KeyObserver, of key: HashedKey) {
    guard let token = observer.token else { return }
    let value = committed[key]?.value
    account(key, old: value, new: nil)
    observers[key]?.remove(token)
    if observers[key]?.isEmpty == true {
      observers[key] = nil
      unread[key] = nil
    }
    account(key, old: nil, new: value)
  }

  /// Notes that the new value of a key, which has no entry, can't be decoded. The observers receive whatever comes next.
  mutating func noteUnread(_ key: HashedKey) {
    guard let observers = observers[key] else { return }
    for observer in observers where observer.outdated == nil { observer.outdated = .earlierValue }
    unread[key] = false
  }

  /// Notes that the value of a key, which has no entry, can't be read for a new observer.
  mutating func noteUnread(_ key: HashedKey, by observer: KeyObserver, mayPass: Bool) {
    observer.outdated = .absence
    unread[key] = mayPass
  }

  /// Returns true if observers of a key may not know its last value, and ends that: the caller calls `catchUp` of each.
  mutating func takeUnread(_ key: HashedKey) -> Bool { !unread.isEmpty && unread.removeValue(forKey: key) != nil }
}

extension HashedKey {
  /// The approximate memory that the key and its entry take.
  var byteCost: Int { string.utf8.count + 96 }
}

/// The shards, contiguous in memory, each on its own cache lines.
///
/// A pointer, so that the hot path does no reference counting; the store creates and frees it.
struct ShardTable: @unchecked Sendable {  // a shard's state is accessed only while its lock is held
  static let count = 16

  //  shard 0            shard 1
  //  ┌──────┬─────────┬─┬──────┬─────────┬─┬─
  //  │ lock │ state   │ │ lock │ state   │ │ …   Lock and state have separate pointers: a thread that waits for the
  //  └──────┴─────────┴─┴──────┴─────────┴─┴─    lock must not access the value that its holder changes.
  private static let stateOffset = 64
  private static let stride = stateOffset + (MemoryLayout<Shard.State>.size + 127) & ~63

  private let memory: UnsafeMutableRawPointer

  init(marksReads: Bool) {
    memory = .allocate(byteCount: Self.stride * Self.count, alignment: 64)
    for index in 0..<Self.count {
      (memory + index * Self.stride).initializeMemory(as: RawLock.self, to: RawLock())
      (memory + index * Self.stride + Self.stateOffset).initializeMemory(
        as: Shard.State.self, to: Shard.State(marksReads: marksReads))
    }
  }

  func deallocate() {
    for index in 0..<Self.count {
      state(at: index).deinitialize(count: 1)
      lock(at: index).deinitialize(count: 1)
    }
    memory.deallocate()
  }

  @inline(__always)
  private func lock(at index: Int) -> UnsafeMutablePointer<RawLock> {
    (memory + index * Self.stride).assumingMemoryBound(to: RawLock.self)
  }

  @inline(__always)
  private func state(at index: Int) -> UnsafeMutablePointer<Shard.State> {
    (memory + index * Self.stride + Self.stateOffset).assumingMemoryBound(to: Shard.State.self)
  }

  /// Returns the value that a plain read sees, if it is in memory. This is the hot path.
  @inline(__always)
  func hit(_ key: HashedKey) -> CachedValue? {
    let index = Int(key.hash >> 28)
    let lock = lock(at: index)
    let state = state(at: index)
    lock.pointee.lock()
    defer { lock.pointee.unlock() }
    if state.pointee.isClosed { return nil }
    if state.pointee.marksReads { state.pointee.committed[key]?.wasRead = true }
    let value = state.pointee.visible(key)
    if value != nil { state.pointee.hits &+= 1 }
    return value
  }

  /// Runs `body` with the shard of a key locked. Values taken out of the shard must outlive the lock (A11): see
  /// `DisplacedValues`.
  @inline(__always)
  func withShard<T>(of key: HashedKey, _ body: (inout Shard.State) throws -> T) rethrows -> T {
    try withShard(at: Int(key.hash >> 28), body)
  }

  @inline(__always)
  func withShard<T>(at index: Int, _ body: (inout Shard.State) throws -> T) rethrows -> T {
    let lock = lock(at: index)
    lock.pointee.lock()
    defer { lock.pointee.unlock() }
    return try body(&state(at: index).pointee)
  }

  /// Runs `body` with the shard of a key locked, and afterwards releases the values that it displaced (A11).
  @inline(__always)
  func withShard<T>(
    of key: HashedKey, _ body: (inout Shard.State, _ displaced: inout DisplacedValues) throws -> T
  ) rethrows -> T {
    var displaced = DisplacedValues()
    defer { withExtendedLifetime(displaced) {} }
    return try withShard(of: key) { try body(&$0, &displaced) }
  }

  /// Runs `body` with all shards locked, in the order of their indices.
  func withAll<T>(_ body: (Locked) throws -> T) rethrows -> T {
    for index in 0..<Self.count { lock(at: index).pointee.lock() }
    defer { for index in 0..<Self.count { lock(at: index).pointee.unlock() } }
    return try body(Locked(table: self))
  }

  /// Access to all shards while the caller holds their locks.
  struct Locked {
    fileprivate let table: ShardTable

    func withShard<T>(of key: HashedKey, _ body: (inout Shard.State) throws -> T) rethrows -> T {
      try body(&table.state(at: Int(key.hash >> 28)).pointee)
    }

    func forEachShard(_ body: (inout Shard.State) throws -> Void) rethrows {
      for index in 0..<ShardTable.count { try body(&table.state(at: index).pointee) }
    }
  }
}

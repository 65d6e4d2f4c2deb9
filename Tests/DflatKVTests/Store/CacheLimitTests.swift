import DflatCore
import TestSupport
import Testing

@testable import DflatKV
@testable import DflatSQLite

@Suite struct CacheLimitTests {
  private func cached(_ test: TestWorkspace) -> (entries: Int, absences: Int, bytes: Int) {
    let shards = DictionaryStore.of(test.core).shards
    var total = (entries: 0, absences: 0, bytes: 0)
    for index in 0..<ShardTable.count {
      shards.withShard(at: index) { shard in
        // Only a cache with a limit counts its bytes.
        let bytes = shard.committed.reduce(0) { $0 + $1.key.byteCost + $1.value.value.byteCost }
        #expect(shard.bytes == (shard.marksReads ? bytes : 0))
        var absences = 0
        var pinned = Shard.Pinned()
        for (key, entry) in shard.committed {
          if shard.observers[key] == nil {
            absences += entry.value.isAbsent ? 1 : 0
          } else if shard.marksReads {
            pinned.entries += 1
            pinned.bytes += key.byteCost + entry.value.byteCost
          }
        }
        #expect(shard.absences == absences)
        #expect(shard.pinned == pinned)
        total.entries += shard.committed.count
        total.absences += shard.absences
        total.bytes += shard.bytes
      }
    }
    return total
  }

  @Test("A cache stays within its limit of entries, and all values can be read", arguments: [16, 100, 1_000])
  func entries(limit: Int) throws {
    let test = try TestWorkspace { $0.cacheLimit = .entries(limit) }
    for number in 0..<3_000 {
      test.dictionary["key\(number)"] = number
      if number % 500 == 0 { try test.dictionary.synchronize() }
    }
    try test.dictionary.synchronize()
    #expect(cached(test).entries <= limit)
    for round in 0..<2 {
      for number in 0..<3_000 { #expect(test.dictionary["key\(number)"] == number, "round \(round)") }
      #expect(cached(test).entries <= limit)
    }
  }

  @Test("A cache stays within its limit of bytes, and all values can be read", arguments: [10_000, 200_000])
  func bytes(limit: Int) throws {
    let test = try TestWorkspace { $0.cacheLimit = .bytes(limit) }
    let text = String(repeating: "x", count: 1_000)
    for number in 0..<600 { test.dictionary["key\(number)"] = text + "\(number)" }
    try test.dictionary.synchronize()
    #expect(cached(test).bytes <= limit)
    for number in 0..<600 { #expect(test.dictionary["key\(number)"] == text + "\(number)") }
    #expect(cached(test).bytes <= limit)
  }

  @Test("A cache stays within its limit when another process's values are longer than those that they replace")
  func longerElsewhere() throws {
    let limit = 64_000
    let test = try TestWorkspace {
      $0.cacheLimit = .bytes(limit)
      $0.followsOtherProcesses = false
    }
    for number in 0..<100 { test.dictionary["key\(number)"] = number }
    try test.dictionary.synchronize()
    #expect(cached(test).entries == 100)
    let other = try test.another { $0.followsOtherProcesses = false }
    let text = String(repeating: "x", count: 10_000)
    try other.workspace.transactAndWait { transaction in
      for number in 0..<100 { transaction.dictionary["key\(number)"] = text + "\(number)" }
    }
    try test.core.checkForCommits()
    #expect(cached(test).bytes <= limit)
    for number in 0..<100 { #expect(test.dictionary["key\(number)"] == text + "\(number)") }
  }

  @Test("A cache stays within its limit while keys are observed one after the other") func observedInTurn() throws {
    let writer = try TestWorkspace { $0.followsOtherProcesses = false }
    try writer.workspace.transactAndWait { transaction in
      for number in 0..<1_000 { transaction.dictionary["key\(number)"] = number }
    }
    let test = try writer.another { $0.cacheLimit = .entries(160) }
    // Half of the keys are absent.
    for number in 0..<2_000 {
      let log = EventLog<Int?>()
      let subscription = test.dictionary.subscribe("key\(number)", of: Int.self) {
        if case .initial(let value) = $0 { log.append(value) }
      }
      #expect(log.events == [number < 1_000 ? number : nil])
      subscription.cancel()
    }
    #expect(cached(test).entries <= 160)
  }

  @Test("A row with a commit number above the file's doesn't stop its shard from caching", .timeLimit(.minutes(15)))
  func numberAboveTheFile() throws {
    let writer = try TestWorkspace()
    let names = (0..<200).map { "key\($0)" }
    let shard = HashedKey(names[0], namespace: 0).hash >> 28
    let neighbors = names.filter { HashedKey($0, namespace: 0).hash >> 28 == shard }
    try writer.workspace.transactAndWait { transaction in for name in neighbors { transaction.dictionary[name] = 1 } }
    try Connection(path: writer.path, mode: .readWrite, busyTimeout: .seconds(30))
      .execute("UPDATE dictionary SET commit_number = 1000000 WHERE key = '\(neighbors[0])'")
    let test = try writer.another {
      $0.cacheLimit = .entries(16)
      $0.followsOtherProcesses = false
    }
    for name in neighbors + neighbors { #expect(test.dictionary[name] == 1) }
    let oldest = DictionaryStore.of(test.core).shards.withShard(at: Int(shard)) { $0.oldestCacheableCommit }
    // Subscribing loads the value until it is cached.
    try #require(oldest <= test.workspace.commitNumber)
    let log = EventLog<Int?>()
    let subscription = test.dictionary.subscribe(neighbors[0], of: Int.self) {
      if case .initial(let value) = $0 { log.append(value) }
    }
    #expect(log.events == [1])
    subscription.cancel()
  }

  @Test("A cache without a limit keeps all entries and counts its absences") func unlimited() throws {
    let test = try TestWorkspace()
    for number in 0..<1_000 { test.dictionary["key\(number)"] = number }
    try test.dictionary.synchronize()
    for number in 0..<500 { test.dictionary["key\(number)"] = "text \(number)" }
    for number in 0..<100 { test.dictionary["key\(number)"] = nil }
    test.dictionary.removeAll(withPrefix: "key99")
    try test.dictionary.synchronize()
    #expect(cached(test).entries == 989)
    #expect(cached(test).absences == 99)
  }

  @Test("A cache without a limit bounds the number of its absences") func absences() throws {
    let test = try TestWorkspace()
    let count = 3 * DictionaryStore.absenceLimit * ShardTable.count
    for number in 0..<count { #expect(!test.dictionary.contains("key\(number)")) }
    #expect(cached(test).absences <= (DictionaryStore.absenceLimit + 1) * ShardTable.count)
    test.dictionary["key7"] = 7
    #expect(test.dictionary["key7"] == 7)
  }

  @Test("A key that is read often survives every sweep of the cache") func secondChance() throws {
    let test = try TestWorkspace { $0.cacheLimit = .entries(1_600) }
    test.dictionary["favourite"] = 1
    try test.dictionary.synchronize()
    let store = DictionaryStore.of(test.core)
    let key = HashedKey("favourite", namespace: 0)
    for number in 0..<4_000 {
      test.dictionary["key\(number)"] = number
      #expect(store.shards.withShard(of: key) { $0.committed[key] != nil })
      #expect(test.dictionary["favourite"] == 1)
      if number % 20 == 0 { try test.dictionary.synchronize() }
    }
  }

  @Test("A sweep keeps entries that were read if they take at most three quarters of the limit") func sweep() {
    var state = Shard.State(marksReads: true)
    var displaced = DisplacedValues()
    let keys = (0..<5).map { HashedKey("key\($0)", namespace: 0) }
    for key in keys { state.store(.int(1), for: key, at: 1, displacing: &displaced) }
    for key in keys.prefix(3) { state.committed[key]?.wasRead = true }
    let share = 4 * (state.bytes / 5)
    state.trim(limit: .bytes(share * ShardTable.count), displacing: &displaced)
    #expect(Set(state.committed.keys) == Set(keys.prefix(3)))
    // Numbers need no release outside of the lock.
    #expect(displaced.isEmpty)
  }

  @Test("A4: A key stays cached while it is observed, and its observer gets each change once") func observed() throws {
    let test = try TestWorkspace { $0.cacheLimit = .entries(16) }
    let shards = DictionaryStore.of(test.core).shards
    let key = HashedKey("k", namespace: 0)
    func isCached() -> Bool { shards.withShard(of: key) { $0.committed[key] != nil } }
    func writeOthers() throws {
      for number in 0..<400 { test.dictionary["key\(number)"] = number }
      try test.dictionary.synchronize()
      for number in 0..<400 { test.dictionary["key\(number)"] = nil }
      try test.dictionary.synchronize()
    }
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    try writeOthers()
    #expect(isCached())
    for number in [1, 1, 2] { try test.workspace.transactAndWait { $0.dictionary["k"] = number } }
    try test.settle()
    #expect(log.events == [.initial(nil), .updated(1), .updated(2)])
    try writeOthers()
    #expect(isCached())
    subscription.cancel()
    try writeOthers()
    #expect(!isCached())
  }

  @Test(
    "A cache whose limit observed keys exceed is swept only when it has grown by a fraction",
    arguments: [SQLiteWorkspace.CacheLimit.entries(160), .bytes(16_000)])
  func observedBeyondLimit(limit: SQLiteWorkspace.CacheLimit) throws {
    let test = try TestWorkspace {
      $0.cacheLimit = limit
      $0.followsOtherProcesses = false
    }
    let d = test.dictionary
    let shards = DictionaryStore.of(test.core).shards
    func visits() -> Int {
      (0..<ShardTable.count).reduce(0) { sum, index in sum + shards.withShard(at: index) { $0.visits } }
    }
    // Half of the observed keys are absent.
    for number in 0..<400 { d["observed\(number)"] = "value \(number)" }
    try d.synchronize()
    let subscriptions = (0..<800).map { d.subscribe("observed\($0)", of: String.self) { _ in } }
    let before = visits()
    let commits = 400
    for number in 0..<commits { try test.workspace.transactAndWait { $0.dictionary["new\(number)"] = number } }
    #expect(visits() - before < 20 * commits)
    #expect(cached(test).entries < 1_200)
    // The counts of observed entries follow their changes, and stay the same if one of two observers is cancelled.
    d.subscribe("observed0", of: String.self) { _ in }.cancel()
    #expect(cached(test).entries >= 800)
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary.removeAll(withPrefix: "observed1")
      for number in 200..<600 { transaction.dictionary["observed\(number)"] = "a longer value \(number)" }
    }
    let other = try test.another { $0.followsOtherProcesses = false }
    try other.workspace.transactAndWait { $0.dictionary.removeAll(withPrefix: "observed3") }
    try test.core.checkForCommits()
    #expect(cached(test).entries >= 800)
    try other.workspace.transactAndWait { $0.dictionary.setMoreKeysThanARecordNames() }
    try test.core.checkForCommits()
    #expect(cached(test).entries == 800)
    // Without observers, the limit applies again.
    for subscription in subscriptions { subscription.cancel() }
    d["last"] = 1
    try d.synchronize()
    #expect(cached(test).entries <= 160)
    #expect(cached(test).bytes <= 16_000)
  }

  @Test("Absences of observed keys don't count towards the limit of absences") func observedAbsences() throws {
    let test = try TestWorkspace()
    var state = Shard.State(marksReads: false)
    var displaced = DisplacedValues()
    let limit = DictionaryStore.absenceLimit
    func store(_ key: HashedKey) {
      state.store(.absent, for: key, at: 1, displacing: &displaced)
      state.trim(limit: .unlimited, displacing: &displaced)
    }
    let observed = (0..<2 * limit).map { number in
      (HashedKey("observed\(number)", namespace: 0), KeyObserver(in: test.core, handler: { _ in }, onEnd: {}))
    }
    for (key, observer) in observed {
      state.add(observer, of: key)
      store(key)
    }
    for number in 0..<limit { store(HashedKey("other\(number)", namespace: 0)) }
    #expect(state.visits == 0)
    #expect(state.absences == limit)
    store(HashedKey("last", namespace: 0))
    #expect(state.visits == 3 * limit + 1)
    #expect(state.absences == 0)
    #expect(state.committed.count == 2 * limit)
    for (key, observer) in observed { state.remove(observer, of: key) }
    #expect(state.absences == 2 * limit)
    store(HashedKey("last", namespace: 0))
    #expect(state.committed.isEmpty)
  }
}

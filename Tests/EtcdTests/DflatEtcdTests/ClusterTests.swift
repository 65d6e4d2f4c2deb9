import DflatEtcd
import EtcdTestSupport
import Synchronization
import Testing

/// Three members, some of which fail.
struct ClusterTests {
  @Test("Nothing is lost, doubled or left out of a watch while the leader is killed, three times")
  func losingLeaders() async throws {
    let cluster = try EtcdCluster()
    let configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    try await withClient(configuration) { (client) async throws in
      let start = try await client.put("start", for: "start")
      let written = AsyncStream<Int>.makeStream()
      let stopped = Atomic(false)
      let writer = Task {
        var acknowledged: [Int] = []
        var unknown: [Int] = []
        var number = 0
        while !stopped.load(ordering: .relaxed) {
          number += 1
          do {
            // Fails if it is carried out twice.
            let result = try await client.transaction(
              if: [.isMissing(EtcdKey("n/\(number)"))], then: [.put([1], for: EtcdKey("n/\(number)"))])
            #expect(result.isSuccess, "\(number) was written twice")
            acknowledged.append(number)
            written.continuation.yield(number)
          } catch let error as EtcdError {
            if error.mayHaveTakenEffect { unknown.append(number) }
          }
        }
        return (acknowledged, unknown, number)
      }
      let watcher = Task {
        var seen: [EtcdKey] = []
        for try await changes in client.watch(.prefix("n/"), after: start) {
          for event in changes.events {
            if event.entry.key == "n/end" { return seen }
            seen.append(event.entry.key)
          }
        }
        return seen
      }
      func waitForWrites(_ count: Int) async {
        var left = count
        for await _ in written.stream {
          left -= 1
          if left == 0 { return }
        }
      }
      for _ in 0..<3 {
        await waitForWrites(50)
        let leader = try await cluster.leader()
        cluster.members[leader].kill()
        await waitForWrites(50)
        try cluster.members[leader].start()
      }
      await waitForWrites(50)
      stopped.store(true, ordering: .relaxed)
      let (acknowledged, unknown, last) = try await writer.value
      try await put("end", client)
      let stored = Set(try await client.get(.prefix("n/")).entries.map(\.key)).subtracting(["n/end"])
      let seen = try await watcher.value
      #expect(seen.count == stored.count && Set(seen) == stored)
      let sure = Set(acknowledged.map { EtcdKey("n/\($0)") })
      let possible = sure.union(unknown.map { EtcdKey("n/\($0)") })
      #expect(sure.isSubset(of: stored) && stored.isSubset(of: possible))
      #expect(last >= 350)
    }
  }

  /// Writes until it is certain, as the key may have it twice.
  private func put(_ name: String, _ client: EtcdClient) async throws {
    while true {
      do {
        try await client.put("", for: EtcdKey("n/\(name)"))
        return
      } catch let error as EtcdError where error.code == .unavailable {}
    }
  }

  @Test("Without a majority, reads and writes end as unavailable, and stale reads go on")
  func lostMajority() async throws {
    let cluster = try EtcdCluster()
    var configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    configuration.requestTimeout = .seconds(60)
    try await withClient(configuration) { _ = try await $0.put("1", for: "key") }
    cluster.members[1].kill()
    cluster.members[2].kill()
    configuration.requestTimeout = .milliseconds(500)
    configuration.endpoints = [cluster.endpoints[0]]
    try await withClient(configuration) { (client) async throws in
      #expect(await error { _ = try await client.get("key") }?.code == .unavailable)
      #expect(await error { try await client.put("2", for: "key") }?.code == .unavailable)
      var stale = EtcdReadOptions()
      stale.isSerializable = true
      #expect(try await client.get(.key("key"), stale).entries.first?.text == "1")
      #expect(try await client.members().count == 3)
    }
    try cluster.members[1].start()
    try await cluster.waitUntilReady(configuration)
  }

  @Test("A frozen member delays a read, and doesn't fail it; a watch goes on elsewhere")
  func frozenMember() async throws {
    let cluster = try EtcdCluster()
    var configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    configuration.requestTimeout = .seconds(60)
    configuration.attemptTimeout = .milliseconds(500)
    configuration.watchRenewal = .seconds(2)
    let follower = (try await cluster.leader() + 1) % 3
    // Begins with the follower.
    configuration.endpoints = [cluster.endpoints[follower]]
    let begun = try EtcdClient(configuration)
    let start = try await begun.put("1", for: "key")
    try await begun.shutdown()
    configuration.endpoints = cluster.endpoints
    cluster.members[follower].freeze()
    defer { cluster.members[follower].thaw() }
    for _ in 0..<4 {
      try await withClient(configuration) { (client) async throws in
        #expect(try await client.get("key")?.text == "1")
        for try await changes in client.watch(.all, after: start - 1) {
          #expect(changes.events.map(\.entry.text) == ["1"])
          break
        }
      }
    }
  }

  @Test("Each endpoint tells its status, or why it can't")
  func statuses() async throws {
    let cluster = try EtcdCluster()
    let configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    let dead = (try await cluster.leader() + 1) % 3
    cluster.members[dead].kill()
    try await withClient(configuration) { (client) async throws in
      let revision = try await client.get(.all).revision
      let statuses = await client.endpointStatuses()
      #expect(statuses.map(\.endpoint) == cluster.endpoints)
      let alive = try statuses.indices.filter { $0 != dead }.map { try statuses[$0].status.get() }
      #expect(Set(alive.map(\.member)).count == 2)
      #expect(alive.map(\.revision).max() == revision)
      #expect(alive.allSatisfy { $0.version.hasPrefix("3.") && $0.databaseSize > 0 && $0.usedSize > 0 })
      #expect(throws: EtcdError.self) { try statuses[dead].status.get() }
      let members = try await client.members()
      #expect(Set(members.map(\.name)) == ["m0", "m1", "m2"])
      #expect(members.allSatisfy { !$0.isLearner })
      #expect(Set(members.flatMap(\.clientURLs)) == Set(cluster.endpoints))
      #expect(try await client.alarms() == [])
    }
  }

  @Test("A full database refuses writes, says so, and takes them again after it was freed")
  func quota() async throws {
    let cluster = try EtcdCluster(members: 1, quota: 4 << 20)
    let configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    try await withClient(configuration) { (client) async throws in
      var full: EtcdError?
      for number in 0..<100 where full == nil {
        full = await error { try await client.put([UInt8](repeating: 1, count: 500_000), for: EtcdKey("\(number)")) }
      }
      #expect(full?.code == .quotaExceeded && full?.mayHaveTakenEffect == true)
      #expect(try await client.alarms().map(\.kind) == [.noSpace])
      #expect(await error { try await client.put("", for: "small") }?.code == .quotaExceeded)
      try await client.delete(.all)
      try await client.compact(before: try await client.get(.all).revision, isPhysical: true)
      try await client.defragment(cluster.endpoints[0])
      try await client.disarmNoSpaceAlarms()
      #expect(try await client.alarms() == [])
      try await client.put("", for: "small")
    }
  }
}

import DflatEtcd
import EtcdTestSupport
import Synchronization
import Testing

struct WatchTests {
  @Test("A watch delivers every change of its range once, in order, whole revisions at a time")
  func order() async throws {
    try await withClient { (client) async throws in
      let start = try await client.put("0", for: "a/0")
      let writer = Task {
        for number in 1...300 {
          let key = EtcdKey("a/\(number % 7)")
          switch number % 3 {
          case 0: try await client.delete(key)
          case 1: try await client.put("\(number)", for: key)
          default:
            _ = try await client.transaction(
              then: [.put([1], for: "a/x"), .put([2], for: "a/y"), .put([3], for: "outside")])
          }
        }
        return try await client.put("end", for: "a/end")
      }
      var events: [EtcdEvent] = []
      for try await changes in client.watch(.prefix("a/"), after: start) {
        #expect(changes.revision == changes.events.last?.entry.modRevision)
        events += changes.events
        if changes.events.last?.entry.text == "end" { break }
      }
      #expect(try await writer.value == events.last?.entry.modRevision)
      #expect(events.map(\.entry.modRevision) == events.map(\.entry.modRevision).sorted())
      #expect(!events.contains { $0.entry.key == "outside" })
      #expect(events.count { $0.entry.key == "a/x" } == 100)
      // Applied to nothing, the changes give the state.
      var state: [EtcdKey: [UInt8]] = ["a/0": [0x30]]
      for event in events { state[event.entry.key] = event.kind == .put ? event.entry.value : nil }
      let entries = try await client.get(.prefix("a/")).entries
      #expect(state == Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) }))
    }
  }

  @Test("A watch can report the entries before its changes")
  func previous() async throws {
    try await withClient { (client) async throws in
      let start = try await client.put("1", for: "key")
      try await client.put("2", for: "key")
      try await client.delete("key")
      var events: [EtcdEvent] = []
      for try await changes in client.watch(.all, after: start, reportingPrevious: true) {
        events += changes.events
        if events.count == 2 { break }
      }
      #expect(events.map(\.kind) == [.put, .delete])
      #expect(events.map { $0.previous?.text } == ["1", "2"])
      #expect(events[1].entry.value.isEmpty && events[1].entry.version == 0)
    }
  }

  @Test("A watch goes on after lost connections, without a gap and without a repetition", arguments: [1, 2, 3])
  func reconnecting(_ messages: Int) async throws {
    let member = try await sharedMember.value.endpoints[0]
    let proxy = try await FaultyEndpoint { request, _ in
      request.path == "/v3/watch" ? .forwardStream(to: member, messages: messages + 1) : .forward(to: member)
    }
    var configuration = try await sharedConfiguration()
    configuration.endpoints = [proxy.endpoint]
    try await withClient(configuration) { (client) async throws in
      let start = try await client.get(.all).revision
      let interruptions = Mutex(0)
      var values: [String] = []
      let watch = client.watch(.all, after: start) { _ in interruptions.withLock { $0 += 1 } }
      // One change at a time, so that each is a message.
      try await client.put("1", for: "key")
      for try await changes in watch {
        values += changes.events.map(\.entry.text)
        if values.count == 20 { break }
        try await client.put("\(values.count + 1)", for: "key")
      }
      #expect(values == (1...20).map { "\($0)" })
      #expect(interruptions.withLock { $0 } > 0)
    }
  }

  @Test("A quiet watch is renewed, and misses nothing")
  func renewal() async throws {
    let member = try await sharedMember.value.endpoints[0]
    let renewals = AsyncStream<Void>.makeStream()
    let proxy = try await FaultyEndpoint { request, _ in
      guard request.path == "/v3/watch" else { return .forward(to: member) }
      renewals.continuation.yield()
      return .forwardStream(to: member, messages: .max)
    }
    var configuration = try await sharedConfiguration()
    configuration.endpoints = [proxy.endpoint]
    configuration.watchRenewal = .milliseconds(200)
    try await withClient(configuration) { (client) async throws in
      let start = try await client.get(.all).revision
      async let text: String? = {
        for try await changes in client.watch(.all, after: start) { return changes.events.first?.entry.text }
        return nil
      }()
      var count = 0
      for await _ in renewals.stream {
        count += 1
        if count == 4 { break }
      }
      try await client.put("late", for: "key")
      #expect(try await text == "late")
    }
  }

  @Test("A watch that is far behind catches up, although its changes exceed the limit of an answer")
  func catchingUp() async throws {
    var configuration = try await sharedConfiguration()
    configuration.maximumResponseSize = 4 << 20
    try await withClient(configuration) { (client) async throws in
      let start = try await client.get(.key("key")).revision
      let value = [UInt8](repeating: 1, count: 64 << 10)
      for _ in 0..<200 { try await client.put(value, for: "key") }
      var versions: [Int64] = []
      for try await changes in client.watch(.all, after: start) {
        #expect(changes.revision == changes.events.last?.entry.modRevision)
        versions += changes.events.map(\.entry.version)
        if versions.count >= 200 { break }
      }
      #expect(versions == Array(1...200))
    }
  }

  @Test("All changes of a revision are in one response, although etcd splits it")
  func largeRevisions() async throws {
    try await withClient { (client) async throws in
      let value = [UInt8](repeating: 1, count: 64 << 10)
      for number in 0..<60 { try await client.put(value, for: EtcdKey("\(number)")) }
      let start = try await client.get(.key("0")).revision
      try await client.delete(.all)
      // With the values before the deletion, the revision exceeds the size of etcd's requests.
      for try await changes in client.watch(.all, after: start, reportingPrevious: true) {
        #expect(changes.events.count == 60)
        #expect(changes.events.allSatisfy { $0.kind == .delete && $0.previous?.value == value })
        break
      }
    }
  }

  @Test("A watch of a range without keys ends at once")
  func emptyRange() async throws {
    try await withClient { (client) async throws in
      for range in [EtcdKeyRange.range(from: "b", to: "a"), .range(from: "a", to: "a")] {
        for try await changes in client.watch(range, after: 0) { Issue.record("\(changes)") }
      }
    }
  }

  @Test("The empty key, which etcd doesn't have, is refused by watches as by calls")
  func emptyKey() async throws {
    try await withClient(prefix: "") { (client) async throws in
      #expect(await errorOfWatch(client, .key(""), after: 0)?.code == .invalidRequest)
      #expect(await error { _ = try await client.get("") }?.code == .invalidRequest)
      #expect(await error { try await client.put("1", for: "") }?.code == .invalidRequest)
    }
    // With a prefix it is a key like any other.
    try await withClient { (client) async throws in
      let start = try await client.put("1", for: "")
      for try await changes in client.watch(.key(""), after: start - 1) {
        #expect(changes.events.map(\.entry.text) == ["1"])
        break
      }
    }
  }

  @Test("A watch of compacted changes says so")
  func compaction() async throws {
    let cluster = try EtcdCluster(members: 1)
    let configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    try await withClient(configuration) { (client) async throws in
      let start = try await client.put("1", for: "key")
      try await client.put("2", for: "key")
      let last = try await client.put("3", for: "key")
      try await client.compact(before: last, isPhysical: true)
      let compacted = await errorOfWatch(client, after: start)
      #expect(compacted?.code == .compacted && compacted?.compactRevision == last)
      for try await changes in client.watch(.all, after: last - 1) {
        #expect(changes.events.map(\.entry.text) == ["3"])
        break
      }
    }
  }

  @Test("A watch may begin before the first revision, and waits for one that doesn't exist yet")
  func extremeRevisions() async throws {
    try await withClient { (client) async throws in
      let first = try await client.put("1", for: "key")
      for start in [Int64.min, -1, 0] {
        for try await changes in client.watch(.all, after: start) {
          #expect(changes.events.map(\.entry.modRevision) == [first])
          break
        }
      }
      let future = Task { await errorOfWatch(client, after: .max) }
      try await client.put("2", for: "key")
      future.cancel()
      #expect(await future.value?.code == .cancelled)
    }
  }

  @Test("A cancelled watch ends, and so does one of a client that is shut down")
  func ending() async throws {
    try await withClient { (client) async throws in
      let watch = Task { await errorOfWatch(client, after: 0) }
      watch.cancel()
      #expect(await watch.value?.code == .cancelled)
    }
    let client = try EtcdClient(try await sharedConfiguration())
    let start = try await client.put("1", for: "key")
    let began = AsyncStream<Void>.makeStream()
    let watch = Task {
      for try await _ in client.watch(.all, after: start - 1) { began.continuation.yield() }
    }
    for await _ in began.stream { break }
    try await client.shutdown()
    #expect(await error { try await watch.value }?.code == .shutDown)
    #expect(await error { try await client.put("2", for: "key") }?.code == .shutDown)
    #expect(await error { try await client.shutdown() }?.code == .shutDown)
  }

  @Test("A thousand watches and calls run side by side")
  func many() async throws {
    try await withClient { (client) async throws in
      let start = try await client.get(.all).revision
      let watches = 1_000
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<watches {
          group.addTask {
            for try await changes in client.watch(.key(EtcdKey("\(number)")), after: start) {
              return changes.events.count
            }
            return 0
          }
        }
        for number in 0..<watches { try await client.put("", for: EtcdKey("\(number)")) }
        var received = 0
        for try await count in group { received += count }
        #expect(received == watches)
      }
    }
  }
}

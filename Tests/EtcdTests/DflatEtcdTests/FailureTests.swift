import DflatEtcd
import EtcdTestSupport
import Testing

struct FailureTests {
  /// Nothing listens on this port.
  private static let dead = "http://127.0.0.1:1"

  @Test("An endpoint that refuses connections is passed over, by writes too")
  func refusedConnections() async throws {
    var configuration = try await sharedConfiguration()
    configuration.endpoints = [Self.dead, Self.dead + "/"] + configuration.endpoints
    // The first endpoint is a random one.
    for number in 0..<20 {
      try await withClient(configuration) { (client) async throws in
        try await client.put("\(number)", for: "key")
        #expect(try await client.get("key")?.text == "\(number)")
      }
    }
  }

  @Test("Without any endpoint, calls end in time and have no effect")
  func unreachable() async throws {
    var configuration = EtcdConfiguration(endpoints: [Self.dead])
    configuration.requestTimeout = .milliseconds(300)
    try await withClient(configuration) { (client) async throws in
      let read = await error { _ = try await client.get("key") }
      #expect(read?.code == .unavailable && read?.mayHaveTakenEffect == false)
      let write = await error { try await client.put("", for: "key") }
      #expect(write?.code == .unavailable && write?.mayHaveTakenEffect == false)
    }
  }

  @Test("A read whose connection is closed is repeated; a write is not, and says that it may have taken effect")
  func closedConnections() async throws {
    let member = try await sharedMember.value.endpoints[0]
    let proxy = try await FaultyEndpoint { _, number in
      number == 0 ? .forwardAndClose(to: member) : .forward(to: member)
    }
    var configuration = try await sharedConfiguration()
    configuration.endpoints = [proxy.endpoint]
    try await withClient(configuration) { (client) async throws in
      #expect(try await client.get("key") == nil)
      #expect(proxy.requests == 2)
    }
    let second = try await FaultyEndpoint { _, number in
      number == 0 ? .forwardAndClose(to: member) : .forward(to: member)
    }
    configuration.endpoints = [second.endpoint]
    try await withClient(configuration) { (client) async throws in
      let lost = await error { try await client.put("written", for: "key") }
      #expect(lost?.code == .unavailable && lost?.mayHaveTakenEffect == true)
      #expect(second.requests == 1)
      #expect(try await client.get("key")?.text == "written")
    }
  }

  @Test("After a write that isn't repeated, later ones go to another endpoint")
  func writesMoveOn() async throws {
    let closing = try await FaultyEndpoint { _, _ in .close }
    let answering = try await FaultyEndpoint { _, _ in .answer(200, #"{"header":{"revision":"7"}}"#) }
    let configuration = EtcdConfiguration(endpoints: [closing.endpoint, answering.endpoint])
    // The first endpoint is a random one.
    for _ in 0..<20 {
      try await withClient(configuration) { (client) async throws in
        let first = await error { try await client.put("", for: "key") }
        #expect(first == nil || first?.mayHaveTakenEffect == true)
        #expect(try await client.put("", for: "key") == 7)
      }
    }
  }

  @Test("A call to an endpoint that doesn't answer goes on elsewhere if it may be repeated")
  func silence() async throws {
    let silent = try await FaultyEndpoint { _, _ in .hang }
    var configuration = try await sharedConfiguration()
    configuration.attemptTimeout = .milliseconds(100)
    let member = configuration.endpoints[0]
    configuration.endpoints = [silent.endpoint]
    configuration.requestTimeout = .milliseconds(500)
    try await withClient(configuration) { (client) async throws in
      let write = await error { try await client.put("", for: "key") }
      #expect(write?.code == .unavailable && write?.mayHaveTakenEffect == true)
    }
    configuration.requestTimeout = .seconds(60)
    configuration.endpoints = [silent.endpoint, member]
    for _ in 0..<5 {
      try await withClient(configuration) { (client) async throws in #expect(try await client.get("key") == nil) }
    }
  }

  @Test("A cancelled call ends at once, also while it waits for a token", arguments: [false, true])
  func cancellation(_ hasCredentials: Bool) async throws {
    let began = AsyncStream<Void>.makeStream()
    let silent = try await FaultyEndpoint { _, _ in
      began.continuation.yield()
      return .hang
    }
    var configuration = EtcdConfiguration(endpoints: [silent.endpoint])
    configuration.requestTimeout = .seconds(600)
    configuration.attemptTimeout = .seconds(600)
    if hasCredentials { configuration.credentials = .init(user: "user", password: "secret") }
    try await withClient(configuration) { (client) async throws in
      let write = Task { try await client.put("", for: "key") }
      for await _ in began.stream { break }
      write.cancel()
      let cancelled = await error { _ = try await write.value }
      // The write isn't sent without a token.
      #expect(cancelled?.code == .cancelled && cancelled?.mayHaveTakenEffect == !hasCredentials)
    }
  }

  @Test("A write that runs while the client is shut down may have taken effect; a later one has not")
  func shutdown() async throws {
    let began = AsyncStream<Void>.makeStream()
    let silent = try await FaultyEndpoint { _, _ in
      began.continuation.yield()
      return .hang
    }
    var configuration = EtcdConfiguration(endpoints: [silent.endpoint])
    configuration.requestTimeout = .seconds(600)
    let client = try EtcdClient(configuration)
    let write = Task { try await client.put("", for: "key") }
    for await _ in began.stream { break }
    try await client.shutdown()
    let running = await error { _ = try await write.value }
    #expect(running?.code == .shutDown && running?.mayHaveTakenEffect == true)
    let late = await error { try await client.put("", for: "key") }
    #expect(late?.code == .shutDown && late?.mayHaveTakenEffect == false)
  }

  @Test("Getting a token takes nothing of a call's time")
  func slowTokens() async throws {
    let slow = try await FaultyEndpoint { request, _ in
      let text = request.path == "/v3/auth/authenticate" ? #"{"token":"token"}"# : #"{"header":{"revision":"7"}}"#
      return .answerLate(.seconds(3), 200, text)
    }
    var configuration = EtcdConfiguration(endpoints: [slow.endpoint])
    configuration.credentials = .init(user: "user", password: "secret")
    configuration.requestTimeout = .seconds(5)
    configuration.attemptTimeout = .seconds(5)
    try await withClient(configuration) { (client) async throws in
      #expect(try await client.put("", for: "key") == 7)
    }
  }

  @Test("Defragmenting has a time of its own, and says whether the member goes on")
  func defragmentation() async throws {
    let slow = try await FaultyEndpoint { request, _ in
      request.path == "/v3/maintenance/defragment" ? .answerLate(.seconds(3), 200, "{}") : .hang
    }
    var configuration = EtcdConfiguration(endpoints: [slow.endpoint])
    configuration.attemptTimeout = .milliseconds(500)
    configuration.requestTimeout = .seconds(1)
    try await withClient(configuration) { try await $0.defragment(slow.endpoint) }
    configuration.defragmentationTimeout = .milliseconds(500)
    try await withClient(configuration) { (client) async throws in
      let late = await error { try await client.defragment(slow.endpoint) }
      #expect(late?.code == .unavailable && late?.mayHaveTakenEffect == true)
      let unsent = await error { try await client.defragment(Self.dead) }
      #expect(unsent?.code == .unavailable && unsent?.mayHaveTakenEffect == false)
    }
  }

  @Test("A write that is repeated may have taken effect if any of its attempts may")
  func repeatedWrites() async throws {
    let closing = try await FaultyEndpoint { request, _ in
      // The list of alarms, which is read before they are disarmed.
      request.body.contains("GET") ? .answer(200, #"{"alarms":[{"memberID":"1","alarm":"NOSPACE"}]}"#) : .close
    }
    let writes: [(EtcdClient) async throws -> Void] = [
      { try await $0.revoke(EtcdLease.ID(1)) }, { _ = try await $0.keepAlive(EtcdLease.ID(1)) },
      { _ = try await $0.grantLease(timeToLive: .seconds(60)) }, { try await $0.disarmNoSpaceAlarms() },
    ]
    var configuration = EtcdConfiguration(endpoints: [closing.endpoint, Self.dead])
    configuration.requestTimeout = .milliseconds(500)
    for (number, write) in writes.enumerated() {
      try await withClient(configuration) { (client) async throws in
        let lost = await error { try await write(client) }
        #expect(lost?.code == .unavailable && lost?.mayHaveTakenEffect == true, "\(number)")
        let read = await error { _ = try await client.get("key") }
        #expect(read?.code == .unavailable && read?.mayHaveTakenEffect == false)
      }
    }
    configuration.endpoints = [Self.dead]
    for (number, write) in writes.enumerated() {
      try await withClient(configuration) { (client) async throws in
        let unsent = await error { try await write(client) }
        #expect(unsent?.code == .unavailable && unsent?.mayHaveTakenEffect == false, "\(number)")
      }
    }
  }

  @Test("An answer that can't be read leaves open whether a transaction has taken effect")
  func unreadableResults() async throws {
    let result = #"{"succeeded":true,"responses":[{"response_range":{"kvs":[{"key":"YQ=="}]}}]}"#
    let stranger = try await FaultyEndpoint { _, _ in .answer(200, result) }
    var configuration = EtcdConfiguration(endpoints: [stranger.endpoint])
    configuration.prefix = "/p/"
    try await withClient(configuration) { (client) async throws in
      let write = await error { _ = try await client.transaction(then: [.get(.all), .put([], for: "key")]) }
      #expect(write?.code == .unexpectedAnswer && write?.mayHaveTakenEffect == true)
      let read = await error { _ = try await client.transaction(then: [.get(.all)]) }
      #expect(read?.code == .unexpectedAnswer && read?.mayHaveTakenEffect == false)
    }
  }

  @Test("A refusal that passes is repeated, by writes too")
  func passingRefusals() async throws {
    let member = try await sharedMember.value.endpoints[0]
    let busy = try await FaultyEndpoint { _, number in
      switch number {
      case 0: .answer(429, #"{"error":"etcdserver: too many requests","code":8}"#)
      case 1: .answer(503, #"{"error":"etcdserver: no leader","code":14}"#)
      default: .forward(to: member)
      }
    }
    var configuration = try await sharedConfiguration()
    configuration.endpoints = [busy.endpoint]
    try await withClient(configuration) { (client) async throws in
      try await client.put("1", for: "key")
      #expect(busy.requests == 3)
      #expect(try await client.get("key")?.version == 1)
    }
  }

  @Test(
    "Answers that are not etcd's are typed errors",
    arguments: [
      (200, ""), (200, "null"), (200, "[]"), (200, "<html></html>"), (200, #"{"kvs":{}}"#), (200, #"{"kvs":[{}]}"#),
      (200, #"{"kvs":[{"key":"?"}]}"#), (200, #"{"kvs":[{"key":"YQ=="}]}"#), (200, #"{"count":"many"}"#),
      (200, #"{"header":{"revision":"99999999999999999999"}}"#), (200, "\u{0}{}"), (404, "page not found"),
      (502, "<html>Bad Gateway</html>"), (301, ""), (500, "{}"),
    ])
  func foreignAnswers(_ status: Int, _ text: String) async throws {
    let stranger = try await FaultyEndpoint { _, _ in .answer(status, text) }
    var configuration = EtcdConfiguration(endpoints: [stranger.endpoint])
    configuration.prefix = "/p/"
    configuration.requestTimeout = .seconds(2)
    try await withClient(configuration) { (client) async throws in
      let read = await error { _ = try await client.get("key") }
      #expect(read?.code == .unexpectedAnswer, "\(String(describing: read))")
      let write = await error { try await client.delete("key") }
      #expect(write == nil || write?.code == .unexpectedAnswer && write?.mayHaveTakenEffect == true)
      // A watch goes on trying, and says why.
      let interruptions = AsyncStream<EtcdError>.makeStream()
      let watch = Task {
        for try await changes in client.watch(.all, after: 1, onInterruption: { interruptions.continuation.yield($0) })
        {
          Issue.record("\(changes)")
        }
      }
      for await error in interruptions.stream {
        #expect([.unexpectedAnswer, .unavailable].contains(error.code))
        break
      }
      watch.cancel()
      _ = await watch.result
    }
  }

  @Test("An answer over the limit is refused")
  func limit() async throws {
    var configuration = try await sharedConfiguration()
    configuration.maximumResponseSize = 10_000
    try await withClient(configuration) { (client) async throws in
      let start = try await client.put([UInt8](repeating: 1, count: 20_000), for: "key")
      #expect(await error { _ = try await client.get("key") }?.code == .tooLarge)
      #expect(await errorOfWatch(client, after: start - 1)?.code == .tooLarge)
    }
  }

  @Test(
    "A configuration that can't be used is refused",
    arguments: [
      [], [""], ["127.0.0.1:2379"], ["ftp://127.0.0.1"], ["http://"], ["http://127.0.0.1:2379/v3"], ["http://a b"],
    ])
  func configurations(_ endpoints: [String]) {
    #expect { try EtcdClient(EtcdConfiguration(endpoints: endpoints)) } throws: {
      ($0 as? EtcdError)?.code == .invalidConfiguration
    }
  }
}

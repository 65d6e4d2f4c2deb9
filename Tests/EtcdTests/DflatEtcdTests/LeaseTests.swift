import DflatEtcd
import EtcdTestSupport
import Testing

struct LeaseTests {
  @Test("Revoking a lease deletes its keys")
  func revoking() async throws {
    try await withClient { (client) async throws in
      let lease = try await client.grantLease(timeToLive: .milliseconds(59_500))
      #expect(lease.timeToLive == .seconds(60))
      try await client.put("1", for: "kept", lease: lease.id)
      try await client.put("1", for: "taken off", lease: lease.id)
      try await client.put("2", for: "taken off")
      #expect(try await client.get("kept")?.lease == lease.id)
      #expect(try await client.get("taken off")?.lease == nil)
      let status = try #require(try await client.status(of: lease.id))
      #expect(status.keys == ["kept"] && status.timeToLive == .seconds(60) && status.remaining > .seconds(30))
      #expect(try await client.keepAlive(lease.id) == .seconds(60))
      try await client.revoke(lease.id)
      #expect(try await client.get(.all).entries.map(\.key) == ["taken off"])
      #expect(try await client.status(of: lease.id) == nil)
      #expect(await error { try await client.keepAlive(lease.id) }?.code == .leaseNotFound)
      #expect(await error { try await client.revoke(lease.id) }?.code == .leaseNotFound)
      #expect(await error { try await client.put("", for: "key", lease: lease.id) }?.code == .leaseNotFound)
    }
  }

  @Test("A lease is revoked although the first answer is lost")
  func lostRevocation() async throws {
    let member = try await sharedMember.value.endpoints[0]
    let proxy = try await FaultyEndpoint { _, number in
      number == 0 ? .forwardAndClose(to: member) : .forward(to: member)
    }
    var configuration = try await sharedConfiguration()
    let lease = try await withClient(configuration) { try await $0.grantLease(timeToLive: .seconds(60)) }
    configuration.endpoints = [proxy.endpoint]
    try await withClient(configuration) { (client) async throws in
      try await client.revoke(lease.id)
      #expect(proxy.requests == 2)
      #expect(try await client.status(of: lease.id) == nil)
      #expect(await error { try await client.revoke(lease.id) }?.code == .leaseNotFound)
    }
  }

  @Test("A closure's lease is revoked when it ends", arguments: [false, true])
  func scope(_ fails: Bool) async throws {
    struct Failure: Error {}
    try await withClient { (client) async throws in
      do {
        let id = try await client.withLease(timeToLive: .seconds(60)) { (lease) async throws in
          try await client.put("1", for: "key", lease: lease.id)
          if fails { throw Failure() }
          return lease.id
        }
        #expect(!fails)
        #expect(try await client.status(of: id) == nil)
      } catch is Failure { #expect(fails) }
      #expect(try await client.get("key") == nil)
    }
  }

  @Test("A closure whose lease ends is cancelled")
  func loss() async throws {
    try await withClient { (client) async throws in
      let lost = await error {
        try await client.withLease(timeToLive: .seconds(3)) { (lease) async throws in
          try await client.revoke(lease.id)
          // Returns only if the task is cancelled.
          try? await Task.sleep(for: .seconds(600))
          #expect(Task.isCancelled)
        }
      }
      #expect(lost?.code == .leaseNotFound)
    }
  }

  @Test("A maintained lease outlives its time, and an abandoned one does not")
  func maintaining() async throws {
    try await withClient { (client) async throws in
      let kept = try await client.grantLease(timeToLive: .seconds(2))
      let abandoned = try await client.grantLease(timeToLive: .seconds(2))
      try await client.put("1", for: "kept", lease: kept.id)
      let revision = try await client.put("1", for: "abandoned", lease: abandoned.id)
      let keeper = Task { try await client.maintain(kept) }
      // etcd deletes the abandoned key when its time is over: no earlier than the kept lease's first time.
      for try await changes in client.watch(.key("abandoned"), after: revision) {
        #expect(changes.events.map(\.kind) == [.delete])
        break
      }
      #expect(try await client.get("kept") != nil)
      keeper.cancel()
      #expect(await error { try await keeper.value }?.code == .cancelled)
    }
  }
}

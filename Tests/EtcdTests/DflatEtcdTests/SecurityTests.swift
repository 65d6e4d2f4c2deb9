import DflatEtcd
import EtcdTestSupport
import Testing

struct SecurityTests {
  @Test("Users reach what their roles allow; wrong passwords and missing users are refused")
  func users() async throws {
    let cluster = try EtcdCluster(members: 1)
    var configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    try enableUsers(on: cluster)
    let anonymous = configuration
    try await withClient(anonymous) { (client) async throws in
      #expect(await error { _ = try await client.get("shop/key") }?.code == .unauthenticated)
      #expect(await error { try await client.put("", for: "shop/key") }?.code == .unauthenticated)
    }
    configuration.credentials = .init(user: "shop", password: "wrong")
    try await withClient(configuration) { (client) async throws in
      #expect(await error { _ = try await client.get("shop/key") }?.code == .unauthenticated)
      #expect(await errorOfWatch(client, after: 1)?.code == .unauthenticated)
    }
    configuration.credentials = .init(user: "shop", password: "secret")
    try await withClient(configuration) { (client) async throws in
      let start = try await client.put("1", for: "shop/key")
      #expect(try await client.get("shop/key")?.text == "1")
      let denied = await error { try await client.put("1", for: "other/key") }
      #expect(denied?.code == .permissionDenied && denied?.mayHaveTakenEffect == false)
      #expect(await error { _ = try await client.get(.all) }?.code == .permissionDenied)
      #expect(await errorOfWatch(client, after: 1)?.code == .permissionDenied)
      for try await changes in client.watch(.prefix("shop/"), after: start - 1) {
        #expect(changes.events.map(\.entry.text) == ["1"])
        break
      }
      // The server forgets its tokens; the client gets a new one by itself.
      cluster.members[0].kill()
      try cluster.members[0].start()
      var isUp = false
      while !isUp { isUp = await error { _ = try await client.get("shop/key") } == nil }
      try await client.put("2", for: "shop/key")
      for try await changes in client.watch(.prefix("shop/"), after: start) {
        #expect(changes.events.map(\.entry.text) == ["2"])
        break
      }
    }
  }

  private func enableUsers(on cluster: EtcdCluster) throws {
    let commands = [
      ["user", "add", "root:root"], ["user", "grant-role", "root", "root"], ["role", "add", "shop"],
      ["role", "grant-permission", "shop", "readwrite", "--prefix=true", "shop/"], ["user", "add", "shop:secret"],
      ["user", "grant-role", "shop", "shop"], ["auth", "enable"],
    ]
    for command in commands {
      let words = ["etcdctl", "--endpoints", cluster.endpoints[0]] + command
      let process = try ChildProcess(words, environment: ["ETCDCTL_API": "3"])
      #expect(process.wait() == 0, "\(command)")
    }
  }

  @Test("Client and server prove who they are with certificates")
  func certificates() async throws {
    let certificates = try Certificates()
    let cluster = try EtcdCluster(members: 1, certificates: certificates)
    var configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    configuration.tls.trustRoots = certificates.authority
    configuration.tls.certificateChain = certificates.client
    configuration.tls.privateKey = certificates.clientKey
    try await cluster.waitUntilReady(configuration)
    try await withClient(configuration) { (client) async throws in
      let start = try await client.put("1", for: "key")
      for try await changes in client.watch(.all, after: start - 1) {
        #expect(changes.events.map(\.entry.text) == ["1"])
        break
      }
    }

    configuration.requestTimeout = .milliseconds(500)
    var withoutCertificate = configuration
    withoutCertificate.tls.certificateChain = nil
    withoutCertificate.tls.privateKey = nil
    try await withClient(withoutCertificate) { (client) async throws in
      #expect(await error { _ = try await client.get("key") }?.code == .unavailable)
    }
    var distrusting = configuration
    distrusting.tls.trustRoots = try Certificates().authority
    try await withClient(distrusting) { (client) async throws in
      let write = await error { try await client.put("2", for: "key") }
      #expect(write?.code == .unavailable && write?.mayHaveTakenEffect == false)
    }
    var unreadable = configuration
    unreadable.tls.privateKey = "/nonexistent"
    #expect { try EtcdClient(unreadable) } throws: { ($0 as? EtcdError)?.code == .invalidConfiguration }
  }
}

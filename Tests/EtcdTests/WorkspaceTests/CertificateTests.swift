import DflatEtcd
import DflatKV
import DflatReplication
import EtcdTestSupport
import Foundation
import Testing

/// Replicas of a cluster whose members and clients prove who they are with certificates.
@Suite(.serialized) struct CertificateTests {
  private let certificates: Certificates
  private let cluster: EtcdCluster
  private let folder: URL

  init() async throws {
    certificates = try Certificates()
    cluster = try EtcdCluster(members: 1, certificates: certificates)
    folder = FileManager.default.temporaryDirectory.appending(path: "certificates-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    configuration.tls = tls
    try await cluster.waitUntilReady(configuration)
  }

  private var tls: EtcdConfiguration.TLS {
    var tls = EtcdConfiguration.TLS()
    tls.trustRoots = certificates.authority
    tls.certificateChain = certificates.client
    tls.privateKey = certificates.clientKey
    return tls
  }

  private var variables: [String: String] {
    [
      "ETCDCTL_CACERT": certificates.authority, "ETCDCTL_CERT": certificates.client,
      "ETCDCTL_KEY": certificates.clientKey,
    ]
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path() }

  @Test("Programs and kvtool take part with a client's certificate, and the file keeps no secret")
  func replicas() throws {
    let workspace = try SQLiteWorkspace.open(
      filePath: path("a.db"), replication: .etcd(endpoints: cluster.endpoints, prefix: "/app/", tls: tls))
    try workspace.transactAndWait { $0.dictionary["k"] = 1 }
    let place = ["--endpoints", cluster.endpoints[0], "--prefix", "/app/"]
    let join = try ToolRun(
      ["cluster", "join", "--db", path("b.db")] + place, environment: variables, in: folder)
    #expect(join.status == 0, "\(join)")
    #expect(try ToolRun(["incr", "k", "--db", path("b.db")], environment: variables, in: folder).output == "2\n")
    try workspace.replication?.catchUp()
    #expect(workspace.dictionary["k", Int.self] == 2)
    workspace.shutdown()
    for name in ["a.db", "b.db"] {
      let content = try String(decoding: Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
      #expect(content.contains(cluster.endpoints[0]))
      #expect(!content.contains(certificates.clientKey) && !content.contains("PRIVATE KEY"))
    }
  }

  @Test("Without the certificate, reads go on, and writes are refused")
  func withoutCertificate() throws {
    let place = ["--endpoints", cluster.endpoints[0], "--prefix", "/app/"]
    #expect(try ToolRun(["set", "k", "1", "--int", "--db", path("a.db")], in: folder).status == 0)
    #expect(
      try ToolRun(["cluster", "seed", "--db", path("a.db")] + place, environment: variables, in: folder).status == 0)
    let refused = try ToolRun(["incr", "k", "--timeout", "1", "--db", path("a.db")], in: folder)
    #expect(refused.status == 1 && refused.error.contains("can't be reached"), "\(refused)")
    #expect(try ToolRun(["get", "k", "--db", path("a.db")], in: folder).output == "1\n")
    // A new replica needs the cluster when it is opened.
    #expect {
      try SQLiteWorkspace.open(
        filePath: path("c.db"), replication: impatient(.etcd(endpoints: cluster.endpoints, prefix: "/app/")))
    } throws: {
      ($0 as? WorkspaceError)?.code == .unavailable
    }
  }

  private func impatient(_ replication: SQLiteWorkspace.Replication) -> SQLiteWorkspace.Replication {
    var replication = replication
    replication.timeout = .seconds(1)
    return replication
  }
}

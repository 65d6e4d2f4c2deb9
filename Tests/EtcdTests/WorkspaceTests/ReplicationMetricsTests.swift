import DflatEtcd
import DflatKV
import DflatMetrics
import DflatReplication
import EtcdTestSupport
import Foundation
import MetricsTestKit
import Testing

/// A replica's state in swift-metrics.
@Suite(.serialized) struct ReplicationMetricsTests {
  private let factory = TestMetrics()

  private func value(ofPhase phase: String) throws -> Double? {
    try factory.expectGauge("dflatkv.replication.phase", [("phase", phase)]).lastValue
  }

  @Test("A sample reports the phase of a replica, how far it is behind, and the age of the last answer")
  func samples() async throws {
    let cluster = try EtcdCluster(members: 1)
    try await cluster.waitUntilReady(EtcdConfiguration(endpoints: cluster.endpoints))
    let folder = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var replication = SQLiteWorkspace.Replication.etcd(endpoints: cluster.endpoints, prefix: "/metrics/")
    replication.timeout = .seconds(2)
    let workspace = try SQLiteWorkspace.open(
      filePath: folder.appending(path: "a.db").path(), replication: replication)
    let metrics = WorkspaceMetrics(factory: factory)
    try await workspace.transact { $0.dictionary["k"] = 1 }
    metrics.sample(workspace)
    #expect(try value(ofPhase: "connected") == 1)
    for phase in ["connecting", "behind", "resolving", "unavailable", "stopped"] {
      #expect(try value(ofPhase: phase) == 0)
    }
    #expect(try factory.expectGauge("dflatkv.replication.behind").lastValue == 0)
    let age = try #require(try factory.expectGauge("dflatkv.replication.contact.age").lastValue)
    cluster.members[0].kill()
    await #expect(throws: WorkspaceError.self) { try await workspace.transact { $0.dictionary["k"] = 2 } }
    metrics.sample(workspace)
    #expect(try value(ofPhase: "connected") == 0)
    // The transaction may have been on its way.
    let phases = try ["unavailable", "resolving"].compactMap(value(ofPhase:))
    #expect(phases.reduce(0, +) == 1)
    #expect(try #require(try factory.expectGauge("dflatkv.replication.contact.age").lastValue) > age)
    try cluster.members[0].start()
    await workspace.shutdown()
  }
}

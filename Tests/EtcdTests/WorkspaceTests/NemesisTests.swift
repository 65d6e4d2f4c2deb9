import DflatEtcd
import EtcdTestSupport
import Foundation
import Testing

/// Programs on three machines over three members, while members crash and freeze, links are cut, space runs out, history
/// is forgotten, and programs are killed and stopped (`Nemesis`, `ReplicaHistory`).
///
///     NEMESIS_SECONDS=1800 make test-etcd TESTS=NemesisTests      # instead of ten seconds
@Suite(.serialized) struct NemesisTests {
  private static let machines = 3

  /// Bytes of a member's database, which the nemesis fills. A longer run has larger files, and etcd holds several times as
  /// much (docs/scale-out.md).
  private static func quota(forSeconds seconds: Double) -> Int { 64 << 20 + Int(seconds) << 17 }

  @Test("A1 to A4, A7, A10: Three machines are strictly serializable, while members, links and programs fail")
  func history() async throws {
    let seconds = ProcessInfo.processInfo.environment["NEMESIS_SECONDS"].flatMap(Double.init) ?? 10
    let cluster = try await EtcdCluster(linkedMembers: 3, quota: Self.quota(forSeconds: seconds))
    try await cluster.waitUntilReady(EtcdConfiguration(endpoints: cluster.endpoints))
    let folder = FileManager.default.temporaryDirectory.appending(path: "nemesis-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var links: [[Link]] = []
    for _ in 0..<Self.machines {
      var own: [Link] = []
      for member in cluster.members { own.append(try await Link(toPort: member.port)) }
      links.append(own)
    }
    let endpoints = links.map { $0.map { "http://127.0.0.1:\($0.port)" } }
    let history = try await onThread { try ReplicaHistory(endpoints, folder: folder) }
    let nemesis = Nemesis(cluster, links: links, programs: history)
    let end = ContinuousClock.now + .seconds(seconds)
    async let harm: Void = {
      // Without harm, there is nothing to wait for.
      defer { history.stop() }
      do { try await nemesis.run(until: end) } catch {
        try cluster.copyLogs(to: folder)
        throw error
      }
    }()
    let pages = try await onThread { try history.run() }
    try await harm
    let (result, complaints) = try await onThread {
      var complaints: [String] = []
      let result = try history.judge(pages: pages) { complaints.append($0) }
      return (result, complaints)
    }
    print(
      "nemesis: \(result.committed) transactions committed, \(result.unknown) of unknown outcome, \(result.aborted) "
        + "aborted, \(result.conflicts) ran again, \(result.pages) pages; \(nemesis.summary), \(result.kills) × kill; "
        + "\(Int(seconds)) s")
    #expect(result.anomalies.isEmpty, "\(folder.path()): \(result.anomalies.prefix(40).joined(separator: "\n"))")
    #expect(complaints.isEmpty, "\(folder.path()): \(complaints.prefix(10).joined(separator: "\n"))")
    #expect(result.committed > 0)
    // What a failed run leaves shows why.
    if result.anomalies.isEmpty, complaints.isEmpty { try FileManager.default.removeItem(at: folder) }
  }
}

/// Runs a closure that blocks on a thread of its own.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}

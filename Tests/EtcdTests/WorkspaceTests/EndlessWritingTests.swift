import DflatEtcd
import DflatKV
import DflatReplication
import EtcdTestSupport
import Foundation
import Testing

/// The space that replicas and their cluster take while they are written all the time.
///
///     ENDLESS_TRANSACTIONS=180000 make test-etcd TESTS=EndlessWritingTests      # an hour's worth at 50 per second
@Suite(.serialized) struct EndlessWritingTests {
  private static let keys = 5_000
  private static let batch = 10_000
  private static let tasks = 50
  /// The least size of the records between two snapshots.
  private static let snapshotBytes = 16 << 20

  /// The largest sizes in bytes.
  private struct Sizes {
    var used: Int64 = 0, database: Int64 = 0
    var file = 0, log = 0

    mutating func note(_ status: EtcdEndpointStatus, _ path: String) throws {
      used = max(used, status.usedSize)
      database = max(database, status.databaseSize)
      file = max(file, try Self.size(path))
      log = max(log, try Self.size(path + "-wal"))
    }

    private static func size(_ path: String) throws -> Int {
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
  }

  @Test("Endless writing keeps the sizes of etcd's database and of the files bounded")
  func bounded() async throws {
    let count = ProcessInfo.processInfo.environment["ENDLESS_TRANSACTIONS"].flatMap(Int.init) ?? 5 * Self.batch
    let cluster = try EtcdCluster(members: 1)
    try await cluster.waitUntilReady(EtcdConfiguration(endpoints: cluster.endpoints))
    let folder = FileManager.default.temporaryDirectory.appending(path: "endless-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let replication = SQLiteWorkspace.Replication.etcd(endpoints: cluster.endpoints, prefix: "/endless/")
    let paths = ["writer.db", "follower.db"].map { folder.appending(path: $0).path() }
    let writer = try SQLiteWorkspace.open(filePath: paths[0], replication: replication)
    let follower = try SQLiteWorkspace.open(filePath: paths[1], replication: replication)
    var largest = [Sizes(), Sizes()]
    for batch in 0..<count / Self.batch {
      try await write(batch, to: writer)
      try follower.replication?.catchUp()
      let statuses = try await withClient(EtcdConfiguration(endpoints: cluster.endpoints)) {
        await $0.endpointStatuses()
      }
      let status = try #require(try statuses.first?.status.get())
      for (index, path) in paths.enumerated() { try largest[index].note(status, path) }
    }
    print(
      "endless: \(count) transactions of 1 KiB; at most \(largest[0].used >> 20) MiB used of \(largest[0].database >> 20) "
        + "MiB of etcd's database, files of \(largest.map { $0.file >> 10 }) KiB, logs of \(largest.map { $0.log >> 10 }) KiB"
    )
    // Up to two snapshots while one is written, and the records since the older one (docs/scale-out.md).
    let most = Int64(5 * max(Self.snapshotBytes, largest[0].file))
    #expect(largest[0].used < most)
    #expect(largest[0].database < 2 * most)
    // The rows, and the change log.
    for sizes in largest { #expect(sizes.file < 32 << 20 && sizes.log < 16 << 20) }
    #expect(writer.dictionary.count == follower.dictionary.count)
    for workspace in [writer, follower] { await workspace.shutdown() }
  }

  /// Replaces values of a KiB, as quickly as transactions of many tasks are taken.
  private func write(_ batch: Int, to workspace: SQLiteWorkspace) async throws {
    try await withThrowingTaskGroup { group in
      for task in 0..<Self.tasks {
        group.addTask {
          for number in 0..<Self.batch / Self.tasks {
            let index = batch * Self.batch + number * Self.tasks + task
            let value = "\(index)" + String(repeating: "x", count: 1_000)
            try await workspace.transact { $0.dictionary["k\(index % Self.keys)"] = value }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

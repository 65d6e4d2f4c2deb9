import DflatEtcd
import EtcdTestSupport
import Foundation
import Testing

@testable import DflatCore
@testable import DflatReplication

/// One member for the tests that harm nothing. Each test has a prefix of its own.
private let sharedMember = Task {
  let cluster = try EtcdCluster(members: 1)
  try await cluster.waitUntilReady(EtcdConfiguration(endpoints: cluster.endpoints))
  return cluster
}

let enough = Duration.seconds(30)

/// Where the logs of one test are.
struct LogPlace: Sendable {
  var configuration: EtcdConfiguration
  /// The member behind it.
  let member: String

  init() async throws {
    member = try await sharedMember.value.endpoints[0]
    configuration = EtcdConfiguration(endpoints: [member])
    configuration.prefix = EtcdKey("/\(UUID())/")
  }

  /// A place on a cluster of the test's own, with one member.
  init(on cluster: EtcdCluster) async throws {
    member = cluster.endpoints[0]
    configuration = EtcdConfiguration(endpoints: [member])
    try await cluster.waitUntilReady(configuration)
    configuration.prefix = EtcdKey("/\(UUID())/")
  }

  /// The same log, reached through other endpoints.
  func through(_ endpoint: String) -> LogPlace {
    var place = self
    place.configuration.endpoints = [endpoint]
    return place
  }

  func open(leaseTime: Duration = .seconds(10)) throws -> EtcdCommitLog {
    try EtcdCommitLog(configuration, leaseTime: leaseTime)
  }

  /// Opens logs, creates the cluster, and closes the logs in the end.
  func withLogs(
    _ count: Int = 1, head: UInt64 = 0, _ body: @escaping @Sendable ([EtcdCommitLog]) throws -> Void
  ) async throws {
    let logs = try (0..<count).map { _ in try open() }
    try await onThread {
      defer { for log in logs { log.close() } }
      _ = try logs[0].create(cluster: "c", head: head, within: enough)
      try body(logs)
    }
  }

  /// Runs a closure with a client of the log's keys.
  func withKeys<Value: Sendable>(_ body: @escaping @Sendable (EtcdClient) async throws -> Value) throws -> Value {
    var configuration = configuration
    configuration.endpoints = [member]
    let result = Blocking.run(within: enough) { [configuration] in try await withClient(configuration, body) }
    return try #require(result).get()
  }
}

/// Runs a closure that blocks on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

func record(_ number: UInt64, writer: Int64 = 1, size: Int = 10) -> CommitRecord {
  CommitRecord(
    number: number, writer: writer, bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(number)) })
}

extension EtcdCommitLog {
  /// Appends records with this process's turn, which it takes if necessary.
  func append(_ count: Int, writer: Int64 = 1, size: Int = 10) throws {
    for _ in 0..<count {
      let turn = try takeTurn(within: enough)
      let outcome = append(record(turn.head + 1, writer: writer, size: size), with: turn, within: enough)
      guard case .appended = outcome else { throw Unexpected(outcome: outcome) }
    }
  }

  /// Returns the records up to a number, waiting for those that are still to come.
  func allRecords(after number: UInt64, through last: UInt64, atOnce: Int = 1 << 20) throws -> [CommitRecord] {
    var records: [CommitRecord] = []
    while (records.last?.number ?? number) < last {
      let more = try self.records(after: records.last?.number ?? number, maximumBytes: atOnce, waiting: enough)
      try #require(!more.isEmpty)
      records += more
    }
    return records
  }
}

struct Unexpected: Error {
  let outcome: AppendOutcome
}

/// Returns the code of the error that a closure throws.
func code(_ body: () throws -> Void) -> CommitLogError.Code? {
  do { try body() } catch { return (error as? CommitLogError)?.code }
  return nil
}

extension AppendOutcome {
  var isFenced: Bool { if case .fenced = self { true } else { false } }
  var isAppended: Bool { if case .appended = self { true } else { false } }
  var isRefused: Bool { if case .refused = self { true } else { false } }
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

import DflatEtcd
import EtcdTestSupport
import Foundation
import Testing

/// One member for the tests that harm nothing. Each test has a prefix of its own.
let sharedMember = Task {
  let cluster = try EtcdCluster(members: 1)
  try await cluster.waitUntilReady(EtcdConfiguration(endpoints: cluster.endpoints))
  return cluster
}

/// Runs a closure with a client of the shared member that has a namespace of its own.
func withClient<Result>(
  prefix: String = "/\(UUID())/", _ body: (EtcdClient) async throws -> Result
) async throws -> Result {
  try await withClient(try await sharedConfiguration(prefix: prefix), body)
}

func sharedConfiguration(prefix: String = "/\(UUID())/") async throws -> EtcdConfiguration {
  var configuration = EtcdConfiguration(endpoints: try await sharedMember.value.endpoints)
  configuration.prefix = EtcdKey(prefix)
  return configuration
}

/// Returns the error that a closure throws; nil if it throws none, or another kind of error.
func error(of body: () async throws -> Void) async -> EtcdError? {
  do { try await body() } catch { return error as? EtcdError }
  return nil
}

extension EtcdEntry {
  var text: String { String(decoding: value, as: UTF8.self) }
}

/// Returns the error that ends a watch, which must not deliver anything.
func errorOfWatch(_ client: EtcdClient, _ range: EtcdKeyRange = .all, after revision: Int64) async -> EtcdError? {
  await error {
    for try await changes in client.watch(range, after: revision) { Issue.record("\(changes)") }
  }
}

import DflatKV
import DflatMetrics
import MetricsTestKit
import Testing

/// A workspace's numbers in swift-metrics.
@Suite(.timeLimit(.minutes(15))) struct MetricsTests {
  private let file = TestFile()
  private let factory = TestMetrics()

  @Test("Commits and the cache are reported under the documented names, with the dimensions") func reports()
    async throws
  {
    let dimensions = [("file", "test")]
    let metrics = WorkspaceMetrics(dimensions: dimensions, factory: factory)
    var options = SQLiteWorkspace.Options()
    options.meter = metrics
    let workspace = try SQLiteWorkspace.open(filePath: file.path, options: options)
    for value in 1...3 { try await workspace.transact { $0.dictionary["k"] = value } }
    workspace.dictionary["plain"] = 1
    try await workspace.dictionary.flush()
    for _ in 0..<5 { _ = workspace.dictionary["k", Int.self] }
    _ = workspace.dictionary["absent", Int.self]
    metrics.sample(workspace)
    // Ends after all callbacks.
    await workspace.shutdown()
    #expect(try factory.expectCounter("dflatkv.commits", dimensions).totalValue == 4)
    #expect(try factory.expectRecorder("dflatkv.group.size", dimensions).values == [1, 1, 1, 1])
    #expect(try factory.expectTimer("dflatkv.commit.duration", dimensions).values.count == 4)
    #expect(try factory.expectTimer("dflatkv.commit.duration", dimensions).values.allSatisfy { $0 > 0 })
    #expect(try factory.expectTimer("dflatkv.delivery.lag", dimensions).values.allSatisfy { $0 > 0 })
    #expect(try factory.expectGauge("dflatkv.log.pages", dimensions).values.count == 4)
    // The first transaction looks up the key's old value.
    let hits = try factory.expectCounter("dflatkv.cache.hits", dimensions)
    let misses = try factory.expectCounter("dflatkv.cache.misses", dimensions)
    #expect(hits.totalValue >= 5 && misses.totalValue >= 1)
    #expect(try factory.expectGauge("dflatkv.cache.entries", dimensions).lastValue == 3)
  }

  @Test("Each sample reports the reads since the last one, until the task is cancelled") func samples() async throws {
    let metrics = WorkspaceMetrics(factory: factory)
    let workspace = try SQLiteWorkspace.open(filePath: file.path)
    workspace.dictionary["k"] = 1
    try workspace.dictionary.synchronize()
    for count in 1...3 {
      let before = workspace.dictionaryCache.hits
      for _ in 0..<count * 10 { _ = workspace.dictionary["k", Int.self] }
      metrics.sample(workspace)
      #expect(try factory.expectCounter("dflatkv.cache.hits").totalValue == Int64(before) + Int64(count) * 10)
    }
    let sampling = Task { try await metrics.sample(workspace, every: .seconds(3_600)) }
    sampling.cancel()
    await #expect(throws: CancellationError.self) { try await sampling.value }
    await workspace.shutdown()
  }
}

import DflatKV
import TestSupport
import Testing

@testable import DflatCore

@Suite struct CheckpointerTests {
  @Test("After a checkpoint the next one is due some pages later, or when another log has grown long")
  func due() throws {
    let directory = try TemporaryDirectory("checkpointer")
    let workspace = try Bench.open(directory.file())
    defer { workspace.shutdown() }
    workspace.dictionary["key"] = 1
    try workspace.dictionary.synchronize()
    var checkpointer = Checkpointer(file: workspace.core.file)
    defer { checkpointer.close() }
    let threshold = Checkpointer.threshold
    #expect(!checkpointer.isDue(walPages: threshold - 1))
    #expect(checkpointer.isDue(walPages: threshold))
    _ = try workspace.core.pipeline.exclusively { try checkpointer.run(excludingWritersWith: try $0.open()) }
    let next = threshold + Checkpointer.retryInterval
    #expect(!checkpointer.isDue(walPages: next - 1))
    // Fewer pages than before: another log, in which the threshold counts.
    #expect(checkpointer.isDue(walPages: next - 2))
  }
}

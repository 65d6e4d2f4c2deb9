import DflatKV
import TestSupport
import Testing

@testable import DflatCore

@Suite struct CheckpointerTests {
  @Test("The next checkpoint is due after more pages, or at the threshold of a restarted log")
  func due() throws {
    let directory = try TemporaryDirectory("checkpointer")
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    workspace.dictionary["key"] = 1
    try workspace.dictionary.synchronize()
    var checkpointer = Checkpointer(file: workspace.core.file)
    defer { checkpointer.close() }
    let threshold = Checkpointer.threshold
    let due = [threshold - 1, threshold].map { checkpointer.isDue(walPages: $0) }
    #expect(due == [false, true])
    _ = try workspace.core.pipeline.exclusively { try checkpointer.run(excludingWritersWith: try $0.open()) }
    let next = threshold + Checkpointer.retryInterval
    // Fewer pages than before: the log has started over, and the threshold applies again.
    let dueAgain = [next - 1, next - 2].map { checkpointer.isDue(walPages: $0) }
    #expect(dueAgain == [false, true])
  }
}

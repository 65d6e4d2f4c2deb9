import DflatKV
import DflatTracing
import InMemoryTracing
import Testing
import Tracing

/// A workspace's spans in swift-distributed-tracing.
@Suite(.timeLimit(.minutes(15))) struct TracingTests {
  private struct Refusal: Error {}

  private let file = TestFile()
  private let tracer = InMemoryTracer()

  private func open() throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options()
    options.tracer = DistributedTracer(tracer)
    return try SQLiteWorkspace.open(filePath: file.path, options: options)
  }

  @Test("A transaction's span is a child of its caller's, and the parent of those that its closure begins")
  func nests() async throws {
    let workspace = try open()
    let (tracer, path) = (tracer, file.path)
    try await tracer.withSpan("request") { _ in
      try await workspace.transact { txn in
        try tracer.withSpan("closure") { _ in txn.dictionary["a"] = 1 }
      }
      try workspace.transactAndWait { $0.dictionary["b"] = 1 }
      workspace.dictionary["c"] = 1
      try await workspace.dictionary.flush()
    }
    await workspace.shutdown()
    let spans = tracer.finishedSpans
    #expect(
      spans.map(\.operationName)
        == ["closure", "dflatkv.transaction", "dflatkv.transaction", "dflatkv.synchronize", "request"])
    let request = try #require(spans.last)
    #expect(spans[1...3].allSatisfy { $0.parentSpanID == request.spanID && $0.traceID == request.traceID })
    #expect(spans[0].parentSpanID == spans[1].spanID)
    #expect(spans.map { $0.events.map(\.name) } == [[], ["closure"], ["closure"], [], []])
    #expect(spans[1...3].allSatisfy { $0.errors.isEmpty && $0.status == nil })
    for span in spans[1...3] {
      #expect(span.attributes.get("db.system.name") == .string("dflatkv"))
      #expect(span.attributes.get("db.namespace") == .string(path))
    }
  }

  @Test("A failed operation's span has its error") func recordsErrors() async throws {
    let workspace = try open()
    await #expect(throws: Refusal.self) { try await workspace.transact { _ in throw Refusal() } }
    await #expect(throws: WorkspaceError.self) { try await workspace.transact { $0.abort() } }
    await workspace.shutdown()
    let spans = tracer.finishedSpans
    #expect(spans.map { $0.status?.code } == [.error, .error])
    #expect(spans.map { $0.attributes.get("error.type") } == [.string("Refusal"), .string("aborted")])
    #expect(spans.map(\.errors.count) == [1, 1])
  }
}

import DflatKV
import TestSupport
import Testing

/// The spans of transactions and of waits for plain writes.
@Suite(.timeLimit(.minutes(15))) struct TracerTests {
  struct Refusal: Error {}

  enum Event: Sendable, Equatable {
    case began(TracedOperation.Kind, request: Int)
    case closureBegan, closureEnded
    case ended(error: String?)
  }

  /// Set by the caller of an operation, like the parent of a span.
  @TaskLocal static var request = 0

  struct Tracer: WorkspaceTracer {
    let events: EventLog<Event>

    func beginSpan(_ operation: TracedOperation) -> any WorkspaceSpan {
      events.append(.began(operation.kind, request: TracerTests.request))
      return Span(events: events)
    }
  }

  struct Span: WorkspaceSpan {
    let events: EventLog<Event>

    func within(_ body: () throws -> Void) rethrows {
      events.append(.closureBegan)
      defer { events.append(.closureEnded) }
      try body()
    }

    func end(throwing error: (any Error)?) {
      events.append(.ended(error: error.map { ($0 as? WorkspaceError).map { "\($0.code)" } ?? "\(type(of: $0))" }))
    }
  }

  private let events = EventLog<Event>()

  private func workspace() throws -> TestWorkspace { try TestWorkspace { $0.tracer = Tracer(events: events) } }

  private static func spans(of kind: TracedOperation.Kind, error: String? = nil) -> [Event] {
    [.began(kind, request: 7), .closureBegan, .closureEnded, .ended(error: error)]
  }

  @Test("Each way to run a transaction has one span, which begins in the caller's task") func transactions()
    async throws
  {
    let test = try workspace()
    let workspace = test.workspace
    let one = Self.spans(of: .transaction)
    try await Self.$request.withValue(7) {
      try await workspace.transact { $0.dictionary["a"] = 1 }
      #expect(events.events == one)
      #expect(await workspace.performChanges([]) { $0.dictionary["a"] = 2 })
      #expect(events.events == one + one)
    }
    try Self.$request.withValue(7) {
      try workspace.transactAndWait { $0.dictionary["a"] = 3 }
      #expect(events.events == one + one + one)
      workspace.performChanges([]) { $0.dictionary["a"] = 4 }
      try events.wait(forCount: 16)
      try test.dictionary.update("a", default: 0) { $0 += 1 }
    }
    #expect(events.events == one + one + one + one + one)
  }

  @Test("A span ends with the error that the caller receives") func failures() async throws {
    let test = try workspace()
    let workspace = test.workspace
    await Self.$request.withValue(7) {
      await #expect(throws: Refusal.self) { try await workspace.transact { _ in throw Refusal() } }
      #expect(throws: WorkspaceError.self) { try workspace.transactAndWait { $0.abort() } }
      #expect(await workspace.performChanges([]) { $0.abort() } == false)
    }
    let aborted = Self.spans(of: .transaction, error: "aborted")
    #expect(events.events == Self.spans(of: .transaction, error: "Refusal") + aborted + aborted)
    await workspace.shutdown()
    await #expect(throws: WorkspaceError.self) { try await workspace.transact { _ in } }
    #expect(events.events.suffix(2) == [.began(.transaction, request: 0), .ended(error: "shutdown")])
  }

  @Test("A wait for plain writes has a span, with the error of a write that failed") func synchronizing() async throws {
    let test = try workspace()
    test.dictionary["a"] = 1
    try Self.$request.withValue(7) { try test.dictionary.synchronize() }
    try await Self.$request.withValue(7) { try await test.dictionary.flush() }
    let one: [Event] = [.began(.synchronize, request: 7), .ended(error: nil)]
    #expect(events.events == one + one)
    test.dictionary["bad"] = Stubborn(number: 1, isBad: true)
    #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
    #expect(events.events.last == .ended(error: "unencodable"))
  }
}

import DflatKV
import TestSupport
import Testing

@Suite("Asynchronous sequences", .timeLimit(.minutes(1))) struct StreamTests {
  private func set(_ values: [Int?], in test: TestWorkspace) async throws {
    for value in values { try await test.workspace.transact { $0.dictionary["k", Int.self] = value } }
  }

  private func collect<T: Sendable>(_ stream: AsyncStream<T>, until test: TestWorkspace) async -> [T] {
    await test.workspace.shutdown()
    var found: [T] = []
    for await value in stream { found.append(value) }
    return found
  }

  @Test("A sequence keeps every value by default and ends with the workspace") func unbounded() async throws {
    let test = try TestWorkspace()
    let stream = test.dictionary.subscribe("k", of: Int.self)
    try await set([1, 2, nil, 3], in: test)
    #expect(await collect(stream, until: test) == [nil, 1, 2, nil, 3])
  }

  @Test("A sequence drops values according to its buffering policy") func bounded() async throws {
    let test = try TestWorkspace()
    let newest = test.dictionary.subscribe("k", of: Int.self, bufferingPolicy: .bufferingNewest(1))
    let oldest = test.dictionary.subscribe("k", of: Int.self, bufferingPolicy: .bufferingOldest(2))
    try await set([1, 2, 3], in: test)
    await test.workspace.shutdown()
    #expect(await collect(newest, until: test) == [3])
    #expect(await collect(oldest, until: test) == [nil, 1])
  }

  @Test("A sequence of a prefix gives updates and removals with their commit numbers") func changes() async throws {
    let test = try TestWorkspace()
    let stream = test.dictionary.changes(withPrefix: "k")
    try await set([1, nil], in: test)
    let changes = await collect(stream, until: test)
    #expect(changes.map(\.event) == [.updated, .deleted])
    #expect(changes.map(\.commitNumber) == [1, 2])
  }

  @Test("A sequence gives a value that is committed while it is awaited") func live() async throws {
    let test = try TestWorkspace()
    var iterator = test.dictionary.subscribe("k", of: Int.self).makeAsyncIterator()
    #expect(await iterator.next() == .some(nil))
    for number in 1...20 {
      test.dictionary["k"] = number
      #expect(await iterator.next() == number)
    }
  }

  @Test("A sequence may be left, cancelled, or released without an iteration") func endOfIteration() async throws {
    let test = try TestWorkspace()
    let stream = test.dictionary.subscribe("k", of: Int.self)
    let task = Task { for await value in stream where value == 1 { break } }
    try await set([1], in: test)
    await task.value
    let cancelled = Task { for await _ in test.dictionary.subscribe("k", of: Int.self) {} }
    cancelled.cancel()
    await cancelled.value
    _ = test.dictionary.subscribe("k", of: Int.self)
    _ = test.dictionary.changes()
  }

  @Test("A sequence that is made after shutdown ends at once") func afterShutdown() async throws {
    let test = try TestWorkspace()
    await test.workspace.shutdown()
    for await value in test.dictionary.subscribe("k", of: Int.self) {
      Issue.record("The sequence gave \(String(describing: value)) after shutdown")
    }
    for await change in test.dictionary.changes() { Issue.record("The sequence gave \(change) after shutdown") }
  }
}

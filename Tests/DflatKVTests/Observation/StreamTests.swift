import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Subscriptions as asynchronous sequences.
@Suite(.timeLimit(.minutes(15))) struct StreamTests {
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

  /// Returns the number of observers of "k", and of all prefixes.
  private func observers(in test: TestWorkspace) -> (key: Int, prefixes: Int) {
    let store = DictionaryStore.of(test.core)
    let key = HashedKey("k", namespace: 0)
    return (store.shards.withShard(of: key) { $0.observers[key]?.count ?? 0 }, store.prefixObservers.all.count)
  }

  @Test("A subscription ends when the iteration of its sequence is left") func leaving() async throws {
    let test = try TestWorkspace()
    let task = Task {
      for await value in test.dictionary.subscribe("k", of: Int.self) where value == 1 { break }
      #expect(observers(in: test) == (0, 0))
      for await change in test.dictionary.changes() where change.event == .deleted { break }
    }
    try await set([1], in: test)
    // The second loop has begun.
    while observers(in: test).prefixes != 1 {
      try Task.checkCancellation()
      await Task.yield()
    }
    try await set([nil], in: test)
    await task.value
    #expect(observers(in: test) == (0, 0))
  }

  @Test("A subscription ends when the iterating task is cancelled") func cancelling() async throws {
    let test = try TestWorkspace()
    let tasks = [
      Task { for await _ in test.dictionary.subscribe("k", of: Int.self) {} },
      Task { for await _ in test.dictionary.changes() {} },
    ]
    while observers(in: test) != (1, 1) {
      try Task.checkCancellation()
      await Task.yield()
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    #expect(observers(in: test) == (0, 0))
  }

  @Test("A subscription ends when its sequence is released without an iteration") func releasing() throws {
    let test = try TestWorkspace()
    var sequence: AsyncStream<Int?>? = test.dictionary.subscribe("k", of: Int.self)
    var changes: AsyncStream<DictionaryChange>? = test.dictionary.changes()
    #expect(observers(in: test) == (1, 1))
    #expect(sequence != nil && changes != nil)
    sequence = nil
    changes = nil
    #expect(observers(in: test) == (0, 0))
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

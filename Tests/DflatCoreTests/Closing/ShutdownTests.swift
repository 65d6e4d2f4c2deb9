import DflatKV
import TestSupport
import Testing

/// All forms of `shutdown`, called from every context, and the state afterwards.
@Suite struct ShutdownTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
  }

  /// Blocks until the workspace is closed. The shutdown may have begun already.
  private func waitUntilClosed(_ workspace: SQLiteWorkspace) throws {
    let closed = Gate("closed")
    workspace.shutdown { closed.open() }
    try closed.wait()
  }

  private func queue(_ count: Int) {
    for index in 0..<count {
      workspace.performChanges([[Author.self, Book.self, Shelf.self][index % 3]]) { txn in
        txn.dictionary["queued\(index)"] = index
      }
      workspace.dictionary["plain\(index)"] = index
    }
  }

  private func expectQueued(_ count: Int) throws {
    let newcomer = try TestWorkspace.open(test.path)
    #expect(newcomer.dictionary.keys(withPrefix: "queued").count == count)
    #expect(newcomer.dictionary.keys(withPrefix: "plain").count == count)
    newcomer.shutdown()
  }

  @Test("Accepted changes are committed before the blocking form of shutdown returns")
  func blocking() throws {
    queue(60)
    workspace.shutdown()
    try expectQueued(60)
  }

  @Test("Accepted changes are committed before the completion handler of shutdown runs")
  func withACompletion() throws {
    queue(60)
    try waitUntilClosed(workspace)
    try expectQueued(60)
  }

  @Test("Accepted changes are committed before the asynchronous form of shutdown returns")
  func asynchronously() async throws {
    queue(60)
    await workspace.shutdown(flags: .truncate)
    try expectQueued(60)
  }

  @Test("Writes fail and reads find nothing after shutdown")
  func afterwards() async throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    workspace.dictionary["cached"] = 1
    let stream = workspace.dictionary.subscribe("cached", of: Int.self)
    await workspace.shutdown()

    #expect(await !workspace.performChanges([]) { txn in txn.dictionary["key"] = 2 })
    let failure = await #expect(throws: WorkspaceError.self) { try await workspace.transact { _ in } }
    #expect(failure?.code == .shutdown)
    #expect(try errorCode { try workspace.transactAndWait { _ in } } == .shutdown)
    #expect(try errorCode { _ = try workspace.fileStatistics() } == .shutdown)
    #expect(try errorCode { _ = try workspace.checkIntegrity() } == .shutdown)
    #expect(try errorCode { try workspace.compact() } == .shutdown)
    #expect(try errorCode { try workspace.backup(to: test.directory.file("copy.db")) } == .shutdown)
    #expect(try Files.names(in: test.directory).contains("copy.db") == false)
    workspace.dictionary["key"] = 2
    #expect(workspace.dictionary["key", Int.self] == nil)
    workspace.dictionary.removeAll()
    #expect(try errorCode { try workspace.dictionary.synchronize() } == .shutdown)
    #expect(try test.errors.wait(forCount: 2).allSatisfy { $0.code == .shutdown })
    #expect(try errorCode { _ = try workspace.dictionary.value(forKey: "unread", as: Int.self) } == .shutdown)
    #expect(workspace.dictionary.keys == [])
    workspace.fetchWithinASnapshot {
      #expect(workspace.dictionary["unread", Int.self] == nil)
      #expect(throws: WorkspaceError.self) { try workspace.dictionary.value(forKey: "unread", as: Int.self) }
    }
    var values: [Int?] = []
    for await value in stream { values.append(value) }
    #expect(values.last == 1)
    for await _ in workspace.dictionary.subscribe("late", of: Int.self) {}
    for await _ in workspace.dictionary.changes() {}
    await workspace.shutdown()
    workspace.dictionary.subscribe("late", of: Int.self) { _ in }.cancel()
    #expect(try test.stored("key") == nil)
  }

  @Test("Concurrent shutdowns all return after the workspace is closed", arguments: 0..<5)
  func manyAtOnce(round: Int) throws {
    queue(20)
    let barrier = Barrier(parties: 8)
    let flags: [WorkspaceShutdownFlag] = [[], .truncate, .vacuum, []]
    let threads = (0..<8).map { index in
      BackgroundThread("closer \(index)") { [workspace] in
        try barrier.arriveAndWait()
        if index % 2 == 0 {
          workspace.shutdown(flags: flags[index / 2])
        } else {
          let closed = Gate("closed")
          workspace.shutdown(flags: flags[index / 2]) { closed.open() }
          try closed.wait()
        }
        #expect(throws: WorkspaceError.self) { try workspace.transactAndWait { _ in } }
      }
    }
    for thread in threads { try thread.join() }
    try expectQueued(20)
  }

  @Test("A11: An observer may shut down the workspace")
  func fromAnObserver() throws {
    let returned = EventLog<Bool>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { [workspace] change in
      guard case .updated = change else { return }
      workspace.shutdown()
      returned.append(true)
    }
    workspace.performChanges([]) { txn in txn.dictionary["key"] = 2 }
    try returned.wait(forCount: 1)
    try waitUntilClosed(workspace)
    subscription.cancel()
    #expect(try test.stored("key") == 2)
  }

  @Test("A11: An observer may shut down the workspace when it gets the initial value")
  func fromAnInitialValue() throws {
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { [workspace] _ in workspace.shutdown() }
    try waitUntilClosed(workspace)
    subscription.cancel()
  }

  @Test("A11: A completion handler may shut down the workspace")
  func fromACompletionHandler() throws {
    let returned = EventLog<Bool>()
    workspace.performChanges([]) { txn in
      txn.dictionary["key"] = 2
    } completionHandler: { [workspace] _ in
      workspace.shutdown()
      returned.append(true)
    }
    try returned.wait(forCount: 1)
    try waitUntilClosed(workspace)
    #expect(try test.stored("key") == 2)
  }

  /// one:    completion: waits for the other's ── shuts the other down ── ends
  /// other:  completion: waits for the first's ── shuts the first down ── ends
  @Test("A11: Completion handlers of two workspaces may shut down each other's workspace")
  func eachOther() throws {
    let other = try TestWorkspace()
    let barrier = Barrier(parties: 2)
    let workspaces = [workspace, other.workspace]
    let returned = EventLog<Bool>()
    for (own, another) in zip(workspaces, workspaces.reversed()) {
      own.performChanges([]) { txn in
        txn.dictionary["key"] = 2
      } completionHandler: { _ in
        #expect(throws: Never.self) { try barrier.arriveAndWait() }
        another.shutdown()
        returned.append(true)
      }
    }
    try returned.wait(forCount: 2)
    for workspace in workspaces { try waitUntilClosed(workspace) }
  }

  ///     one:    snapshot of A ── shuts down B ── waits for the other's snapshot ─────────┬─ ends
  ///     other:  snapshot of B ──────────────────── shuts down A: returns at once ── ends ┘
  @Test("Threads in snapshots may shut down each other's workspace") func eachOtherInSnapshots() throws {
    let other = try TestWorkspace()
    let barrier = Barrier(parties: 2)
    let workspaces = [workspace, other.workspace]
    let threads = zip(workspaces, workspaces.reversed()).map { own, another in
      BackgroundThread {
        try own.fetchWithinASnapshot {
          try barrier.arriveAndWait()
          another.shutdown()
        }
      }
    }
    for thread in threads { try thread.join() }
    for workspace in workspaces { try waitUntilClosed(workspace) }
  }

  @Test("In a snapshot of another workspace, shutdown returns after the workspace is closed")
  func inAnotherSnapshot() throws {
    let other = try TestWorkspace()
    try other.workspace.fetchWithinASnapshot {
      queue(60)
      workspace.shutdown(flags: .truncate)
      let names = try Files.names(in: test.directory)
      #expect(names == ["test.db"])
    }
    try expectQueued(60)
  }

  @Test("A11: A transaction's closure may shut down the workspace and still commits", arguments: [true, false])
  func fromAClosure(isTouched: Bool) throws {
    try workspace.transactAndWait { txn in
      if isTouched { txn.dictionary["key"] = 2 }
      workspace.shutdown()
      txn.dictionary["late"] = 3
    }
    try waitUntilClosed(workspace)
    #expect(try test.stored("late") == 3)
  }

  @Test("A11: A snapshot may shut down the workspace and still reads its commit")
  func fromASnapshot() throws {
    workspace.fetchWithinASnapshot {
      workspace.shutdown()
      #expect(workspace.dictionary["key", Int.self] == 1)
      #expect(workspace.dictionary.keys == ["key"])
    }
    try waitUntilClosed(workspace)
  }

  /// reader:  snapshot ── reads ───────────────── reads ─ ends
  /// closer:              └ shutdown begins, waits ────────────┘ closes
  @Test("Shutdown waits for open snapshots")
  func withAReaderOpen() throws {
    let isReading = Gate("the snapshot is open")
    let mayEnd = Gate("the snapshot may end")
    let events = EventLog<String>()
    let reader = BackgroundThread("reader") { [workspace] in
      try workspace.fetchWithinASnapshot {
        isReading.open()
        try mayEnd.wait()
        #expect(workspace.dictionary.keys == ["key"])
        events.append("read")
      }
    }
    try isReading.wait()
    workspace.shutdown(flags: .truncate) { events.append("closed") }
    // No transaction begins meanwhile.
    #expect(try errorCode { try workspace.transactAndWait { _ in } } == .shutdown)
    mayEnd.open()
    try reader.join()
    #expect(try events.wait(forCount: 2) == ["read", "closed"])
    #expect(try Files.names(in: test.directory) == ["test.db"])
  }

  @Test("Shutdown runs due completion handlers before it returns")
  func callbacksRunFirst() throws {
    let events = EventLog<Int>()
    for value in 0..<100 {
      workspace.performChanges([]) { txn in
        txn.dictionary["key"] = value
      } completionHandler: { _ in
        events.append(value)
      }
    }
    workspace.shutdown()
    #expect(events.events == Array(0..<100))
  }
}

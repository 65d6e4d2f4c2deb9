import DflatKV
import TestSupport
import Testing

/// Releasing the last reference commits all accepted changes (A7), wherever the release happens.
@Suite struct LastReferenceTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }

  init() throws { directory = try TemporaryDirectory("release") }

  /// Opens a workspace, and a stream that ends when the workspace closes. The stream doesn't keep the workspace alive.
  private func open() throws -> (SQLiteWorkspace, AsyncStream<DictionaryChange>) {
    let workspace = try TestWorkspace.open(path)
    return (workspace, workspace.dictionary.changes())
  }

  private func expectStored(_ keys: [String]) throws {
    let workspace = try TestWorkspace.open(path)
    #expect(workspace.dictionary.keys == keys.sorted())
    #expect(try workspace.checkIntegrity() == [])
    workspace.shutdown()
  }

  private func end(of stream: AsyncStream<DictionaryChange>) async { for await _ in stream {} }

  @Test("A7: Queued plain writes are committed before the last release returns")
  func plainWrites() throws {
    try {
      let workspace = try TestWorkspace.open(path)
      for index in 0..<50 { workspace.dictionary["key\(index)"] = index }
    }()
    try expectStored((0..<50).map { "key\($0)" })
  }

  @Test("A7: Queued transactions are committed before the last release returns")
  func transactions() throws {
    try {
      let workspace = try TestWorkspace.open(path)
      for index in 0..<50 {
        workspace.performChanges(index % 2 == 0 ? [Author.self] : []) { txn in txn.dictionary["key\(index)"] = index }
      }
    }()
    try expectStored((0..<50).map { "key\($0)" })
  }

  @Test("A7: A workspace that opens lazily commits queued writes before the last release returns")
  func lazily() throws {
    ({
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      workspace.dictionary["key"] = 1
    })()
    try expectStored(["key"])
  }

  @Test("A dictionary keeps its workspace alive")
  func dictionary() throws {
    let dictionary = try TestWorkspace.open(path).dictionary
    dictionary["key"] = 1
    try dictionary.synchronize()
    #expect(dictionary["key", Int.self] == 1)
  }

  /// The gate keeps the closure, and with it the last reference, alive until all other references are released.
  private func releaseLast(
    _ use: (_ workspace: SQLiteWorkspace, _ mayEnd: Gate) -> Void
  ) throws -> AsyncStream<DictionaryChange> {
    let mayEnd = Gate("the last reference may go")
    let stream = try {
      let (workspace, stream) = try open()
      use(workspace, mayEnd)
      return stream
    }()
    mayEnd.open()
    return stream
  }

  @Test("A7, A11: A transaction's closure may release the last reference without loss")
  func inAClosure() async throws {
    let stream = try releaseLast { workspace, mayEnd in
      workspace.performChanges([]) { txn in
        #expect(throws: Never.self) { try mayEnd.wait() }
        txn.dictionary["first"] = 1
        workspace.dictionary["inside"] = 1
      }
      workspace.performChanges([]) { txn in txn.dictionary["second"] = 1 }
      workspace.performChanges([Author.self]) { txn in txn.dictionary["third"] = 1 }
      workspace.dictionary["plain"] = 1
    }
    await end(of: stream)
    try expectStored(["first", "inside", "second", "third", "plain"])
  }

  @Test("A7, A11: A closure between two others may release the last reference without loss")
  func inALaterClosure() async throws {
    let stream = try releaseLast { workspace, mayEnd in
      workspace.performChanges([]) { txn in
        #expect(throws: Never.self) { try mayEnd.wait() }
        txn.dictionary["first"] = 1
      }
      workspace.performChanges([]) { txn in workspace.dictionary["second"] = 1 }
      workspace.performChanges([]) { txn in txn.dictionary["third"] = 1 }
    }
    await end(of: stream)
    try expectStored(["first", "second", "third"])
  }

  @Test("A7, A11: A completion handler may release the last reference without loss")
  func inACompletionHandler() async throws {
    let stream = try releaseLast { workspace, mayEnd in
      workspace.performChanges([]) { txn in
        txn.dictionary["first"] = 1
      } completionHandler: { _ in
        #expect(throws: Never.self) { try mayEnd.wait() }
        workspace.dictionary["inside"] = 1
      }
      workspace.performChanges([]) { txn in
        txn.dictionary["second"] = 1
      } completionHandler: { _ in
      }
    }
    await end(of: stream)
    try expectStored(["first", "inside", "second"])
  }

  @Test("A7, A11: An observer may release the last reference without loss")
  func inAnObserver() async throws {
    let mayEnd = Gate("the last reference may go")
    let kept = Lock<(SQLiteWorkspace, WorkspaceSubscription)?>(nil)
    let stream = try {
      let (workspace, stream) = try open()
      let subscription = workspace.dictionary.subscribe("key", of: Int.self) { change in
        guard case .updated = change else { return }
        #expect(throws: Never.self) { try mayEnd.wait() }
        let last = kept.withLock { kept in
          defer { kept = nil }
          return kept
        }
        last?.0.dictionary["inside"] = 1
      }
      kept.withLock { $0 = (workspace, subscription) }
      workspace.performChanges([]) { txn in txn.dictionary["key"] = 1 }
      return stream
    }()
    mayEnd.open()
    await end(of: stream)
    try expectStored(["inside", "key"])
  }

  @Test("A7, A11: A snapshot may release the last reference without loss")
  func inASnapshot() async throws {
    let stream = try {
      let kept = Lock<SQLiteWorkspace?>(nil)
      let stream = try {
        let (workspace, stream) = try open()
        workspace.dictionary["key"] = 1
        kept.withLock { $0 = workspace }
        return stream
      }()
      kept.withLock { $0 }?.fetchWithinASnapshot { kept.withLock { $0 = nil } }
      return stream
    }()
    await end(of: stream)
    try expectStored(["key"])
  }

  @Test("Workspaces that open and close one file at the same time lose nothing")
  func manyWorkspaces() throws {
    let threads = (0..<4).map { thread in
      BackgroundThread("thread \(thread)") { [path] in
        for round in 0..<15 {
          let workspace = try TestWorkspace.open(path)
          workspace.dictionary["\(thread)-\(round)"] = round
          workspace.performChanges([]) { txn in txn.dictionary["count", default: 0] += 1 }
        }
      }
    }
    for thread in threads { try thread.join() }
    let workspace = try TestWorkspace.open(path)
    #expect(workspace.dictionary["count", Int.self] == 60)
    #expect(workspace.dictionary.count == 61)
  }
}

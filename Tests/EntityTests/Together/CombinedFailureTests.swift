import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Failures of a combined transaction, at its COMMIT or before it. The file, the cache and the observers show both of
/// its changes or neither.
@Suite struct CombinedFailureTests {
  /// The post "left" and the key "right", which every transaction sets to the same number, with observers of both.
  private final class MatchingPostAndKey {
    private let test: TestWorkspace
    var directory: TemporaryDirectory { test.directory }
    var workspace: SQLiteWorkspace { test.workspace }
    let live = EventLog<Int32>()
    let keys = EventLog<Int>()
    var subscriptions: [WorkspaceSubscription] = []

    init() throws {
      let first = try TestWorkspace(Self.failFast)
      try first.workspace.transactAndWait([Post.self]) { txn in
        for number in 0..<20 { try txn.insert(Post(title: "other \(number)", priority: 1_000)) }
        try txn.insert(Post(title: "left", priority: 1))
        txn.dictionary["right"] = 1
      }
      first.workspace.shutdown()
      // A new workspace has nothing cached, so the transaction has to read.
      test = try first.another(Self.failFast)
      let workspace = test.workspace
      let result = workspace.fetch(for: Post.self).where(Post.title == "left")
      subscriptions = [
        workspace.subscribe(fetchedResult: result) { [live] in live.append($0[0].priority) },
        workspace.dictionary.subscribe("right", of: Int.self) { [keys] change in
          if case .updated(let value) = change { keys.append(value) }
        },
      ]
    }

    private static func failFast(_ options: inout SQLiteWorkspace.Options) {
      options.vfs = FaultPlan.vfsName
      options.synchronous = .full
      options.busyTimeout = .milliseconds(10)
    }

    func set(_ number: Int) throws {
      try workspace.transactAndWait([Post.self]) { txn in
        try txn.update(Post(title: "left")) { $0.priority = Int32(number) }
        try txn.insert(Post(title: "new \(number)", tag: String(repeating: "x", count: 5_000), priority: 1_000))
        txn.dictionary["right"] = number
      }
    }

    func stored(in workspace: SQLiteWorkspace) throws -> (Int, Int) {
      try workspace.fetchWithinASnapshot {
        let post = try workspace.query(for: Post.self).where(Post.title == "left").first()
        return (
          Int(try #require(post).priority),
          try #require(try workspace.dictionary.value(forKey: "right", as: Int.self))
        )
      }
    }
  }

  private static let faults: [(String, FaultOperations, FaultFiles, FaultCode)] = [
    ("full disk", .write, .any, .full), ("torn write", .write, .any, .tornFull),
    ("write error", .write, .any, .ioErrorWrite), ("sync error", .sync, .any, .ioErrorSync),
    ("sync error after the sync", .sync, .any, .doneButFailed), ("read error", .read, .any, .ioErrorRead),
    ("lock", .sharedMemoryLock, .any, .ioErrorSharedMemoryLock),
    ("failure at the end of the commit", .commitEnd, .any, .ioError),
  ]

  @Test("A1, A2: A failed operation leaves both the object and the key or neither", arguments: Self.faults.indices)
  func sweep(_ index: Int) throws {
    let (name, operations, files, code) = Self.faults[index]
    var point = 0
    while true {
      point += 1
      let pair = try MatchingPostAndKey()
      let plan = try FaultPlan(operations, on: files, in: pair.directory.path, fail: .once(point), with: code)
      let outcome = Result { try pair.set(2) }
      let isHit = plan.faultCount > 0
      plan.cancel()
      let what: Comment = "\(name), operation \(point)"
      if !isHit { break }
      let shown = try pair.stored(in: pair.workspace)
      #expect(shown.0 == shown.1, what)
      let other = try SQLiteWorkspace.open(filePath: pair.directory.file())
      let stored = try pair.stored(in: other)
      #expect(stored == shown, what)
      #expect(try other.query(for: Post.self).where(Post.title == "new 2").exists() == (shown.1 == 2), what)
      switch outcome {
      case .success: #expect(shown.0 == 2, what)
      case .failure(let error as WorkspaceError): #expect(error.code == .outcomeUnknown || shown.0 == 1, what)
      case .failure(let error): Issue.record("\(error)")
      }
      // The workspace works again. The observers have seen the values that were committed, and no others.
      try pair.set(3)
      try pair.live.wait { $0.last == 3 }
      try pair.keys.wait { $0.last == 3 }
      let expected = shown.0 == 2 ? [2, 3] : [3]
      #expect(pair.live.events.map(Int.init) == expected, what)
      #expect(pair.keys.events == expected, what)
      try EntityFileCheck(Post.self, in: pair.directory.file()).objects()
      other.shutdown()
    }
    #expect(point > 1, "\(name): no operation failed")
  }
}

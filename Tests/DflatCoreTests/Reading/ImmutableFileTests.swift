import DflatKV
import DflatSQLite
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore

/// Files that a reader opens as immutable, because nobody writes to them and the folder can't be written. As the tests
/// may run as a user who can write anywhere, they open the connections themselves, in the same way, or let SQLite fail
/// to open a log.
@Suite(.timeLimit(.minutes(15))) struct ImmutableFileTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }

  init() throws {
    directory = try TemporaryDirectory()
    try write(1)
  }

  private func write(_ value: Int) throws {
    let workspace = try TestWorkspace.open(path)
    try workspace.transactAndWait { $0.dictionary["k"] = value }
    workspace.shutdown()
  }

  private func reader() throws -> Reader {
    let (path, directory) = (path, directory)
    return try Reader(stack: 0) {
      let file = ImmutableFile(path)
      let hasLog = try Files.names(in: directory).contains("test.db-wal")
      let connection = try Connection(path: path, mode: hasLog ? .readOnly : .immutable, busyTimeout: .zero)
      if !hasLog { connection.immutableFile = file }
      return connection
    }
  }

  @Test("A reader of an immutable file renews its view by another connection once the file is written") func renews()
    throws
  {
    let reader = try reader()
    defer { reader.disconnect() }
    #expect(try reader.renew(in: 0) == 1)
    #expect(!reader.isOutdated)
    try write(2)
    #expect(reader.isOutdated)
    #expect(try reader.renew(in: 0) == 2)
    #expect(!reader.isOutdated)
    // A writer that is open has a log, which the next connection reads.
    let workspace = try TestWorkspace.open(path)
    defer { workspace.shutdown() }
    for value in 3...5 {
      try workspace.transactAndWait { $0.dictionary["k"] = value }
      #expect(try reader.renew(in: 0) == UInt64(value))
    }
    #expect(reader.connection.immutableFile == nil)
  }

  @Test("A6: A snapshot of an immutable file that is written meanwhile fails instead of mixing commits") func snapshot()
    throws
  {
    let reader = try reader()
    defer { reader.disconnect() }
    let snapshot = Snapshot(state: .pinned(reader, commitNumber: try reader.renew(in: 0)))
    func value() throws -> Int64? {
      try snapshot.read { connection, _ in try connection.integer("SELECT value FROM dictionary") }
    }
    #expect(try value() == 1)
    try write(2)
    for _ in 0..<2 {
      #expect { _ = try value() } throws: { ($0 as? WorkspaceError)?.code == .conflict }
    }
  }

  /// Opens a read-only workspace that can't open a log, as in a folder that can't be written, as long as the plan lives.
  private func readOnlyWorkspace(
    reportingTo errors: EventLog<WorkspaceError.Code> = EventLog()
  ) throws -> (workspace: SQLiteWorkspace, plan: FaultPlan) {
    let plan = try FaultPlan(.open, on: .wal, in: directory.path, fail: .from(1), with: .cannotOpen)
    let workspace = try TestWorkspace.open(path) {
      $0.isReadOnly = true
      $0.followsOtherProcesses = false
      $0.errorHandler = { errors.append($0.code) }
      $0.vfs = FaultPlan.vfsName
    }
    return (workspace, plan)
  }

  private func expectConflict(in workspace: SQLiteWorkspace) throws {
    #expect(try errorCode { _ = try workspace.dictionary.value(forKey: "k", as: Int.self) } == .conflict)
  }

  /// Runs `write` once when a reader has its view, and hasn't read anything in it. On a thread of its own: where callbacks
  /// run, the writer's shutdown wouldn't wait until the file is written.
  private func whenNextViewOpens(in workspace: SQLiteWorkspace, _ write: @escaping @Sendable () throws -> Void) {
    let isFirst = Lock(true)
    Failpoint.renewedView.arm(in: workspace.core) {
      let writes = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if writes { #expect(throws: Never.self) { try BackgroundThread("writer", write).join() } }
    }
  }

  @Test("A read of an immutable file that is written meanwhile fails, and caches nothing") func plainRead() throws {
    let (workspace, plan) = try readOnlyWorkspace()
    whenNextViewOpens(in: workspace) { try write(2) }
    try expectConflict(in: workspace)
    Failpoint.renewedView.arm(in: workspace.core, nil)
    #expect(workspace.dictionary["k"] == 2)
    #expect(workspace.commitNumber == 2)
    workspace.shutdown()
    plan.cancel()
  }

  @Test("A8: A snapshot of an immutable file that is written meanwhile caches nothing that it has read")
  func snapshotCache() throws {
    let (workspace, plan) = try readOnlyWorkspace()
    try workspace.fetchWithinASnapshot {
      try write(2)
      try expectConflict(in: workspace)
    }
    // Not from the cache, because then no newer view would be opened.
    #expect(workspace.dictionary["k"] == 2)
    #expect(workspace.commitNumber == 2)
    workspace.shutdown()
    plan.cancel()
  }

  @Test("A4: An observer of a key that begins while an immutable file is written receives the new value")
  func keyObserver() throws {
    let (workspace, plan) = try readOnlyWorkspace()
    whenNextViewOpens(in: workspace) { try write(2) }
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let subscription = workspace.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    Failpoint.renewedView.arm(in: workspace.core, nil)
    #expect(log.events == [.initial(2)])
    subscription.cancel()
    workspace.shutdown()
    plan.cancel()
  }

  @Test("An observer of a prefix that begins while an immutable file is written knows the keys of one commit")
  func prefixObserver() throws {
    let (workspace, plan) = try readOnlyWorkspace()
    whenNextViewOpens(in: workspace) { try write(2) }
    let subscription = workspace.dictionary.subscribe(withPrefix: "") { _ in }
    Failpoint.renewedView.arm(in: workspace.core, nil)
    #expect(workspace.commitNumber == 2)
    subscription.cancel()
    workspace.shutdown()
    plan.cancel()
  }

  // A mixture of two commits may look damaged.
  @Test("An observer that begins while an immutable file is written doesn't believe the damage that it finds")
  func damagedMixture() throws {
    let errors = EventLog<WorkspaceError.Code>()
    let damage = Lock<FaultPlan?>(nil)
    /// Runs `observe` while the file is written, and the first read after that finds damage.
    func findDamage(_ value: Int, in workspace: SQLiteWorkspace, _ observe: () -> Void) {
      whenNextViewOpens(in: workspace) {
        try write(value)
        let plan = try FaultPlan(.read, on: .main, in: directory.path, fail: .once(1), with: .corrupt)
        damage.withLock { $0 = plan }
      }
      observe()
      Failpoint.renewedView.arm(in: workspace.core, nil)
      #expect(damage.withLock { $0?.faultCount } == 1)
      damage.withLock { $0 }?.cancel()
    }
    // A prefix. The first view is published, so that the observer's own reads find the damage.
    var (workspace, plan) = try readOnlyWorkspace(reportingTo: errors)
    #expect(workspace.commitNumber == 1)
    let changes = EventLog<DictionaryChange.Event>()
    findDamage(2, in: workspace) {
      let subscription = workspace.dictionary.subscribe(withPrefix: "") { changes.append($0.event) }
      // The observation goes on.
      #expect(throws: Never.self) { try write(3) }
      #expect(workspace.dictionary["k"] == 3)
      #expect(throws: Never.self) { try workspace.settle() }
      #expect(changes.events == [.updated])
      subscription.cancel()
    }
    workspace.shutdown()
    plan.cancel()
    // A key.
    (workspace, plan) = try readOnlyWorkspace(reportingTo: errors)
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    findDamage(4, in: workspace) {
      workspace.dictionary.subscribe("k", of: Int.self) { log.append($0) }.cancel()
    }
    #expect(log.events == [.initial(4)])
    try workspace.settle()
    workspace.shutdown()
    plan.cancel()
    #expect(errors.events.isEmpty)
  }

  @Test("A6: An observer of a query that begins while an immutable file is written receives the result of one commit")
  func queryObserver() throws {
    let (workspace, plan) = try readOnlyWorkspace()
    let result = workspace.fetch(for: Post.self).all()
    let path = path
    whenNextViewOpens(in: workspace) {
      let writer = try TestWorkspace.open(path)
      try writer.transactAndWait([Post.self]) { _ = try $0.insert(Post(title: "a")) }
      writer.shutdown()
    }
    let log = EventLog<String>()
    let subscription = workspace.subscribe(fetchedResult: result) { posts in
      log.append("\(posts.map(\.title)) of \(posts.commitNumber)")
    }
    Failpoint.renewedView.arm(in: workspace.core, nil)
    try workspace.settle()
    #expect(log.events == ["[\"a\"] of 2"])
    subscription.cancel()
    workspace.shutdown()
    plan.cancel()
  }

  @Test("A4: A publisher of a query that begins while an immutable file is written has the objects of one commit")
  func committedQuery() throws {
    let (workspace, plan) = try readOnlyWorkspace()
    let path = path
    whenNextViewOpens(in: workspace) {
      let writer = try TestWorkspace.open(path)
      try writer.transactAndWait([Post.self]) { _ = try $0.insert(Post(title: "a")) }
      writer.shutdown()
    }
    // The first result of `QueryPublisher`.
    let posts = workspace.query(for: Post.self).fetchCommitted()
    Failpoint.renewedView.arm(in: workspace.core, nil)
    #expect(posts.map(\.title) == ["a"])
    #expect(posts.commitNumber == 2)
    workspace.shutdown()
    plan.cancel()
  }

  @Test("A6: An observed closure runs again if an immutable file was written while it read the file")
  func observedClosure() throws {
    let (workspace, plan) = try readOnlyWorkspace()
    let (values, isFirst) = (EventLog<Int?>(), Lock(true))
    let subscription = workspace.observe { reader -> Int? in
      let writes = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      // An observed closure may not write, so another thread does.
      if writes { try BackgroundThread("writer") { try write(2) }.join() }
      return reader.dictionary["k", Int.self]
    }.subscribe { values.append($0) }
    // Without the second run, the value would be absent.
    #expect(values.events == [2])
    subscription.cancel()
    workspace.shutdown()
    plan.cancel()
  }
}

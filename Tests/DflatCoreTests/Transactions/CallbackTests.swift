import DflatKV
import TestSupport
import Testing

@testable import DflatCore

/// A11: A callback may call any API. A call that could only wait for itself fails with an error; nothing hangs.
@Suite struct CallbackTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      txn.dictionary["key"] = 1
      txn.dictionary["other"] = 1
    }
  }

  /// Makes the calls that are allowed everywhere outside a transaction's closure.
  private static func callEverything(_ workspace: SQLiteWorkspace, _ directory: TemporaryDirectory) throws {
    let dictionary = workspace.dictionary
    dictionary["plain"] = 7
    try dictionary.synchronize()
    #expect(dictionary["plain", Int.self] == 7)
    let sum = try workspace.transactAndWait([Book.self]) { txn in
      txn.dictionary["sum"] = 8
      return txn.dictionary["sum", Int.self]
    }
    #expect(sum == 8)
    #expect(try dictionary.update("counter", default: 0) { $0 += 1 } == 1)
    #expect(try dictionary.compareAndSet("counter", expected: 1, new: 2))
    #expect(workspace.fetchWithinASnapshot { dictionary["sum", Int.self] } == 8)
    #expect(dictionary.keys.contains("plain"))
    let nested = EventLog<String>()
    let subscription = dictionary.subscribe("sum", of: Int.self, changeHandler: nested.noting("sum"))
    let prefixes = dictionary.subscribe(withPrefix: "") { _ in }
    #expect(nested.events == ["sum is 8"])
    subscription.cancel()
    prefixes.cancel()
    try workspace.backup(to: directory.file("copy.db"))
    #expect(try workspace.checkIntegrity() == [])
    try workspace.compact()
    #expect(try workspace.fileStatistics().commitNumber >= 1)
    workspace.performChanges([Author.self]) { txn in txn.dictionary["queued"] = 1 }
  }

  private func expectEverythingWasCalled(_ done: EventLog<Result<Void, any Error>>) throws {
    for result in try done.wait(forCount: 1) { #expect(throws: Never.self) { try result.get() } }
    try workspace.transactAndWait([Author.self]) { txn in #expect(txn.dictionary["queued", Int.self] == 1) }
    #expect(workspace.dictionary["counter", Int.self] == 2)
  }

  @Test("A11: An observer may call any API")
  func observer() throws {
    let done = EventLog<Result<Void, any Error>>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { [workspace, test] change in
      guard case .updated = change else { return }
      done.append(Result { try Self.callEverything(workspace, test.directory) })
    }
    try workspace.transactAndWait { txn in txn.dictionary["key"] = 2 }
    try expectEverythingWasCalled(done)
    subscription.cancel()
  }

  @Test("A11: An observer may call any API when it gets the initial value")
  func initialValue() throws {
    let done = EventLog<Result<Void, any Error>>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { [workspace, test] change in
      guard case .initial = change else { return }
      done.append(Result { try Self.callEverything(workspace, test.directory) })
    }
    try expectEverythingWasCalled(done)
    subscription.cancel()
  }

  @Test("A11: A completion handler may call any API")
  func completion() throws {
    let done = EventLog<Result<Void, any Error>>()
    workspace.performChanges([]) { txn in
      txn.dictionary["key"] = 2
    } completionHandler: { [workspace, test] _ in
      done.append(Result { try Self.callEverything(workspace, test.directory) })
    }
    try expectEverythingWasCalled(done)
  }

  @Test("A11: The error handler may call any API")
  func errorHandler() throws {
    let done = EventLog<Result<Void, any Error>>()
    let target = Lock<SQLiteWorkspace?>(nil)
    let test = try TestWorkspace { options in
      options.errorHandler = { [directory = self.test.directory] _ in
        guard let workspace = target.withLock({ $0 }), done.events.isEmpty else { return }
        done.append(Result { try Self.callEverything(workspace, directory) })
      }
    }
    target.withLock { $0 = test.workspace }
    test.workspace.dictionary["text"] = "not a number"
    #expect(test.workspace.dictionary["text", Int.self] == nil)
    for result in try done.wait(forCount: 1) { #expect(throws: Never.self) { try result.get() } }
    target.withLock { $0 = nil }
  }

  @Test("A11: A snapshot may contain writes, transactions, backups and compactions")
  func snapshot() throws {
    try workspace.fetchWithinASnapshot {
      #expect(workspace.dictionary["key", Int.self] == 1)
      workspace.dictionary["plain"] = 7
      try workspace.dictionary.synchronize()
      try workspace.transactAndWait { txn in txn.dictionary["key"] = 2 }
      #expect(workspace.dictionary["key", Int.self] == 1)
      #expect(workspace.dictionary["plain", Int.self] == nil)
      try workspace.backup(to: test.directory.file("copy.db"))
      try workspace.compact()
      #expect(workspace.dictionary["key", Int.self] == 1)
    }
    #expect(workspace.dictionary["key", Int.self] == 2)
  }

  @Test(
    "A11: A call in a closure that would wait for its own transaction fails with an error", arguments: [true, false])
  func insideAClosure(isTouched: Bool) throws {
    let events = EventLog<String>()
    let directory = test.directory
    try workspace.transactAndWait([Author.self]) { txn in
      if isTouched { txn.dictionary["key"] = 2 }
      var codes: [WorkspaceError.Code] = []
      codes.append(try errorCode { try workspace.dictionary.synchronize() })
      codes.append(try errorCode { try workspace.transactAndWait { _ in } })
      codes.append(try errorCode { try workspace.transactAndWait([Book.self]) { _ in } })
      codes.append(try errorCode { try workspace.compact() })
      #expect(codes == Array(repeating: .wouldDeadlock, count: 4))
      // These calls read committed data, or are queued.
      try workspace.backup(to: directory.file("copy-\(isTouched).db"))
      let problems = try workspace.checkIntegrity()
      #expect(problems == [])
      let statistics = try workspace.fileStatistics()
      #expect(statistics.commitNumber == 1)
      let inSnapshot = workspace.fetchWithinASnapshot { workspace.dictionary["key", Int.self] }
      #expect(inSnapshot == (isTouched ? 2 : 1))
      let subscription = workspace.dictionary.subscribe("key", of: Int.self, changeHandler: events.noting("key"))
      #expect(events.events == ["key is 1"])
      subscription.cancel()
      workspace.performChanges([Author.self]) { inner in
        events.append("the nested one sees \(inner.dictionary["key", default: 0])")
      }
      workspace.dictionary["staged"] = 1
      #expect(txn.dictionary["staged", Int.self] == 1)
    }
    #expect(try events.wait(forCount: 2).last == "the nested one sees \(isTouched ? 2 : 1)")
    #expect(workspace.dictionary["staged", Int.self] == 1)
  }

  /// first's observer ──► second.transactAndWait ──► second's observer ──► first.transactAndWait
  @Test("A11: Observers of two workspaces may run transactions in each other's workspace")
  func twoWorkspaces() throws {
    let other = try TestWorkspace()
    let (first, second) = (workspace, other.workspace)
    let events = EventLog<String>()
    let observing = [
      first.dictionary.subscribe("key", of: Int.self) { change in
        guard case .updated = change else { return }
        #expect(throws: Never.self) { try second.transactAndWait { txn in txn.dictionary["key"] = 2 } }
        events.append("first's observer is done")
      },
      second.dictionary.subscribe("key", of: Int.self) { change in
        guard case .updated = change else { return }
        #expect(throws: Never.self) { try first.transactAndWait { txn in txn.dictionary["other"] = 3 } }
        events.append("second's observer is done")
      },
    ]
    try first.transactAndWait { txn in txn.dictionary["key"] = 2 }
    try events.wait(forCount: 2)
    #expect(first.dictionary["other", Int.self] == 3)
    for subscription in observing { subscription.cancel() }
  }

  /// The transaction of `first` holds the write token of `first`; an observer of `second` waits for it.
  @Test("A11: A transaction nested in another workspace's doesn't wait for blocked observers")
  func nestedWorkspaces() throws {
    let other = try TestWorkspace()
    let (first, second) = (workspace, other.workspace)
    let events = EventLog<String>()
    let subscription = second.dictionary.subscribe("key", of: Int.self) { change in
      guard case .updated = change else { return }
      #expect(throws: Never.self) { try first.transactAndWait { txn in txn.dictionary["other"] = 3 } }
      events.append("observer is done")
    }
    try first.transactAndWait { txn in
      txn.dictionary["key"] = 2
      try second.transactAndWait { inner in inner.dictionary["key"] = 2 }
    }
    try events.wait(forCount: 1)
    #expect(first.dictionary["other", Int.self] == 3)
    subscription.cancel()
  }

  //  delivery   observer of commit 1: runs ──────────────────────────────┐
  //  thread     commit 2, which has no observers: its completion waits ──┴─ runs
  @Test("A4: An unobserved blocking transaction waits for the observers of earlier commits")
  func earlierObserversComeFirst() throws {
    let mayEnd = Gate("the observer may end")
    let runs = Gate("the observer runs")
    let events = EventLog<String>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { change in
      guard case .updated = change else { return }
      runs.open()
      #expect(throws: Never.self) { try mayEnd.wait() }
      events.append("observed")
    }
    workspace.performChanges([]) { $0.dictionary["key"] = 2 }
    try runs.wait()
    let publication = workspace.core.publication
    // The completion that `transactAndWait` waits for.
    let waiting = Completion(isUserCode: false, followsObservers: true) { _ in events.append("returned") }
    publication.conclude(.init(completion: waiting, failure: nil), for: workspace.core)
    let inACallback = Completion(isUserCode: false, followsObservers: false) { _ in events.append("in a callback") }
    publication.conclude(.init(completion: inACallback, failure: nil), for: workspace.core)
    #expect(events.events == ["in a callback"])
    mayEnd.open()
    #expect(try events.wait(forCount: 3) == ["in a callback", "observed", "returned"])
    try workspace.transactAndWait { $0.dictionary["unobserved"] = 2 }
    subscription.cancel()
  }
}

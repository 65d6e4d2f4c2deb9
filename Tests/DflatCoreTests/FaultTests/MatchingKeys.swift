import DflatKV
import TestSupport
import Testing

/// Two keys of a workspace on the fault-injecting VFS, with observers. `left` and `right` hold the same number, and
/// every transaction sets both. A half-done change shows as a difference between them, or between the file, the cache
/// and the observers.
final class MatchingKeys {
  /// The length of the values of `filler0`…
  static let fillerLength = 3_000

  private let test: TestWorkspace
  var directory: TemporaryDirectory { test.directory }
  var workspace: SQLiteWorkspace { test.workspace }
  /// The errors that reached the workspace's error handler.
  var errors: EventLog<WorkspaceError> { test.errors }
  /// The values of `left` that its observer got, including the initial one.
  let observed = EventLog<Int?>()
  /// The commit numbers of the changes that the observer of `right` got.
  let observedCommits = EventLog<UInt64>()
  private(set) var expected = 1
  private let subscriptions: [WorkspaceSubscription]

  init(
    synchronous: SQLiteWorkspace.Synchronous = .full, busyTimeout: Duration = .milliseconds(10), filler: Int = 0,
    _ change: (inout SQLiteWorkspace.Options) -> Void = { _ in }
  ) throws {
    test = try TestWorkspace { options in
      options.vfs = FaultPlan.vfsName
      options.synchronous = synchronous
      options.busyTimeout = busyTimeout
      change(&options)
    }
    let workspace = test.workspace
    let text = String(repeating: "f", count: Self.fillerLength)
    try workspace.transactAndWait { txn in
      txn.dictionary["left"] = 1
      txn.dictionary["right"] = 1
      for index in 0..<filler { txn.dictionary["filler\(index)"] = text }
    }
    let left = workspace.dictionary.subscribe("left", of: Int.self) { [observed] change in
      switch change {
      case .initial(let value): observed.append(value)
      case .updated(let value): observed.append(value)
      case .deleted, .expired: observed.append(nil)
      }
    }
    let right = workspace.dictionary.subscribe("right") { [observedCommits] change in
      observedCommits.append(change.commitNumber)
    }
    subscriptions = [left, right]
  }

  /// Returns a plan on the workspace's files.
  func plan(
    _ operations: FaultOperations, on files: FaultFiles = .any, fail times: FaultTimes, with code: FaultCode
  ) throws -> FaultPlan {
    try FaultPlan(operations, on: files, in: directory.path, fail: times, with: code)
  }

  /// Sets both keys to the next number in one transaction.
  func advance(padding: Int = 0) -> Result<Void, any Error> {
    let next = expected + 1
    return Result {
      try workspace.transactAndWait { txn in
        txn.dictionary["left"] = next
        if padding > 0 { txn.dictionary["padding"] = String(repeating: "p", count: padding) }
        txn.dictionary["right"] = next
      }
    }
  }

  /// Checks A1, A2, A4 and A7 after `advance`, and that the workspace works again once the cause is gone.
  func check(_ outcome: Result<Void, any Error>, _ what: Comment) throws {
    switch outcome {
    case .success:
      expected += 1
    case .failure(let error):
      let error = try #require(error as? WorkspaceError, what)
      if error.code == .outcomeUnknown {
        try settleUnknown(what)
      } else {
        #expect(workspace.dictionary["left", Int.self] == expected, what)
      }
    }
    try checkEverywhere(what)
    let again = advance()
    #expect(throws: Never.self, what) { try again.get() }
    guard case .success = again else { return }
    expected += 1
    try checkEverywhere(what)
  }

  /// After an unknown outcome, the old and the new state are both correct, as long as it is the same one everywhere.
  private func settleUnknown(_ what: Comment) throws {
    let found = try workspace.transactAndWait { txn in try txn.dictionary.value(forKey: "left", as: Int.self) }
    #expect(found == expected || found == expected + 1, what)
    expected = try #require(found, what)
  }

  private func checkEverywhere(_ what: Comment) throws {
    #expect(workspace.dictionary["left", Int.self] == expected, what)
    #expect(workspace.dictionary["right", Int.self] == expected, what)
    // The file, as another workspace reads it.
    let other = try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
    #expect(try other.dictionary.value(forKey: "left", as: Int.self) == expected, what)
    #expect(try other.dictionary.value(forKey: "right", as: Int.self) == expected, what)
    other.shutdown()
    let last = try observed.wait { $0.last == .some(expected) }
    let commits = observedCommits.events
    #expect(zip(commits, commits.dropFirst()).allSatisfy { $0 < $1 }, "\(commits); \(what)")
    #expect(last.map { $0 ?? -1 } == last.compactMap { $0 }.sorted(), what)
    #expect(Set(last.map { $0 ?? -1 }).count == last.count, "A value was delivered twice: \(last); \(what)")
  }
}

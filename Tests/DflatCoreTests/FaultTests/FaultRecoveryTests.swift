import DflatKV
import TestSupport
import Testing

/// Recovery: failed openings, causes that go away, and several threads at once.
@Suite struct FaultRecoveryTests {
  /// Each operation of the first opening fails in turn. The error is typed, and the next attempt succeeds.
  @Test("Opening can be tried again after any failure", arguments: Fault.lasting)
  func openingCanBeTriedAgain(fault: Fault) throws {
    for number in 1...Fault.mostOperations {
      let directory = try TemporaryDirectory("opening")
      var options = SQLiteWorkspace.Options.onFaultVFS
      options.busyTimeout = .zero
      let plan = try FaultPlan(
        fault.operations, on: fault.files, in: directory.path, fail: .from(number), with: fault.code)
      let first = Result {
        let workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
        try workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
        workspace.shutdown()
      }
      let failures = plan.faultCount
      plan.cancel()
      if case .failure(let error) = first {
        #expect(error is WorkspaceError, "\(fault), operation \(number): \(error)")
      }
      let second = try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
      try second.transactAndWait { txn in txn.dictionary["other"] = 2 }
      let stored = try second.dictionary.value(forKey: "key", as: Int.self)
      if case .success = first { #expect(stored == 1, "\(fault), operation \(number)") }
      second.shutdown()
      if failures == 0 { return }
    }
    Issue.record("\(fault): Run \(Fault.mostOperations) still failed an operation")
  }

  @Test("A file that couldn't be opened opens once the cause is gone")
  func aLazyWorkspaceOpensWhenTheCauseIsGone() throws {
    let directory = try TemporaryDirectory("lazy")
    let plan = try FaultPlan(.open, on: .main, in: directory.path, fail: .from(1), with: .cannotOpen)
    #expect(throws: WorkspaceError.self) {
      try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
    }
    plan.cancel()
    let workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
    try workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    #expect(workspace.dictionary["key", Int.self] == 1)
  }

  /// SQLite itself opens a file without write permission for reading only. The workspace refuses it until the
  /// permission is back, unless it only reads.
  @Test("A file that can't be written opens for reading only, and for writing once it becomes writable")
  func aFileThatBecomesWritableIsWritten() throws {
    let directory = try TemporaryDirectory("read-only")
    let first = try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
    try first.transactAndWait { txn in txn.dictionary["key"] = 1 }
    first.shutdown()
    let plan = try FaultPlan(.open, on: .main, in: directory.path, fail: .from(1), with: .readOnly)
    let error = try #require(throws: WorkspaceError.self) {
      try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
    }
    #expect(error.code == .readOnly)
    var options = SQLiteWorkspace.Options.onFaultVFS
    options.isReadOnly = true
    let reader = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
    #expect(reader.dictionary["key", Int.self] == 1)
    reader.shutdown()
    #expect(plan.faultCount > 0)
    plan.cancel()
    let workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
    #expect(workspace.dictionary["key", Int.self] == 1)
    try workspace.transactAndWait { txn in txn.dictionary["key"] = 3 }
    #expect(workspace.dictionary["key", Int.self] == 3)
  }

  /// The transaction fails with `.busy` after the timeout and leaves no trace.
  @Test("A transaction fails with busy while another workspace holds the write lock")
  func aLockHeldByAnotherIsBusyAndThenFree() throws {
    let keys = try MatchingKeys()
    let other = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
    let holds = Gate("the other workspace holds the lock")
    let release = Gate("the lock may go")
    let holder = BackgroundThread("holder") {
      try other.transactAndWait { txn in
        txn.dictionary["held"] = true
        holds.open()
        try release.wait()
      }
    }
    try holds.wait()
    let outcome = keys.advance()
    #expect(try #require(throws: WorkspaceError.self) { try outcome.get() }.code == .busy)
    release.open()
    try holder.join()
    try keys.check(outcome, "lock held by another")
    other.shutdown()
  }

  /// Operations of several threads fail at random. Each thread's counter has the value of its last success, or one more
  /// after an unknown outcome. A transaction reads one of the values that the outcomes before it allow.
  @Test(
    "Each thread's outcomes agree with the file under random failures",
    arguments: [SQLiteWorkspace.Synchronous.normal, .full])
  func everyThreadIsToldTheTruth(synchronous: SQLiteWorkspace.Synchronous) throws {
    let keys = try MatchingKeys(synchronous: synchronous)
    let workspace = keys.workspace
    var generator = SeededGenerator.announced(for: "everyThreadIsToldTheTruth")
    var counters = [0, 0, 0, 0]
    for round in 1...40 {
      let fault = Fault.all.randomElement(using: &generator) ?? Fault.all[0]
      let number = Int.random(in: 1...60, using: &generator)
      let length = Int.random(in: 1...20, using: &generator)
      let what: Comment = "seed \(generator.seed), round \(round): \(fault), \(length) operations from \(number)"
      let plan = try keys.plan(
        fault.operations, on: fault.files, fail: .some(from: number, count: length), with: fault.code)
      let threads = counters.enumerated().map { thread, counter in
        BackgroundThread("thread \(thread)") { try Self.count(in: workspace, thread: thread, from: counter, what) }
      }
      let acceptable = try threads.map { try $0.join() }
      plan.cancel()
      let other = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
      for thread in 0..<4 {
        let stored = try other.dictionary.value(forKey: "counter\(thread)", as: Int.self) ?? 0
        let mirrored = try other.dictionary.value(forKey: "mirror\(thread)", as: Int.self) ?? 0
        #expect(acceptable[thread].contains(stored), "thread \(thread): \(stored) of \(acceptable[thread]); \(what)")
        #expect(stored == mirrored, what)
        let settled = try workspace.transactAndWait { txn in
          try txn.dictionary.value(forKey: "counter\(thread)", as: Int.self) ?? 0
        }
        #expect(settled == stored, what)
        #expect(workspace.dictionary["counter\(thread)", Int.self] ?? 0 == stored, what)
        counters[thread] = stored
      }
      other.shutdown()
    }
  }

  /// Increments the thread's counter ten times, and returns the values that the file may hold afterwards.
  private static func count(
    in workspace: SQLiteWorkspace, thread: Int, from counter: Int, _ what: Comment
  ) throws -> Set<Int> {
    var acceptable: Set = [counter]
    for _ in 1...10 {
      var seen: Int?
      var failure: WorkspaceError.Code?
      do {
        try workspace.transactAndWait { txn in
          let value = try txn.dictionary.value(forKey: "counter\(thread)", as: Int.self) ?? 0
          seen = value
          txn.dictionary["counter\(thread)"] = value + 1
          txn.dictionary["mirror\(thread)"] = value + 1
        }
      } catch let error as WorkspaceError {
        failure = error.code
      }
      // A transaction that couldn't read has changed nothing.
      guard let seen else { continue }
      #expect(acceptable.contains(seen), "thread \(thread): \(seen) of \(acceptable); \(what)")
      switch failure {
      case nil: acceptable = [seen + 1]
      case .outcomeUnknown?: acceptable = [seen, seen + 1]
      case _?: acceptable = [seen]
      }
    }
    return acceptable
  }
}

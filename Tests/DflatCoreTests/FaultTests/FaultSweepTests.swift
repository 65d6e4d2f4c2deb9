import DflatKV
import TestSupport
import Testing

/// Fails each file operation in turn, in each way, and checks the entire state afterwards (A1, A2, A4, A7).
@Suite struct FaultSweepTests {
  /// More bytes than SQLite's page cache holds, so that SQLite writes pages to the log before the commit.
  private static let morePaddingThanIsCached = 6_000_000

  /// Fails the 1st, 2nd, … operation of `body` until a run meets no failure.
  private func sweep(
    _ fault: Fault, persistent: Bool, on make: () throws -> MatchingKeys,
    _ body: (MatchingKeys) -> Result<Void, any Error>
  ) throws {
    for number in 1...Fault.mostOperations {
      let keys = try make()
      let plan = try keys.plan(
        fault.operations, on: fault.files, fail: persistent ? .from(number) : .once(number), with: fault.code)
      let outcome = body(keys)
      let failures = plan.faultCount
      plan.cancel()
      try keys.check(outcome, "\(fault), operation \(number)\(persistent ? " and all after it" : "")")
      if failures == 0 {
        #expect(throws: Never.self, "\(fault): The transaction failed although no operation did") { try outcome.get() }
        return
      }
    }
    Issue.record("\(fault): Run \(Fault.mostOperations) still failed an operation")
  }

  @Test("A transaction with a single failing operation commits or leaves no trace", arguments: Fault.all)
  func aTransactionSurvivesOneFailure(fault: Fault) throws {
    try sweep(fault, persistent: false, on: { try MatchingKeys() }) { $0.advance() }
  }

  @Test("A transaction with lasting failures commits or leaves no trace", arguments: Fault.lasting)
  func aTransactionSurvivesALastingFailure(fault: Fault) throws {
    try sweep(fault, persistent: true, on: { try MatchingKeys() }) { $0.advance() }
  }

  @Test("A transaction without syncs commits or leaves no trace when an operation fails", arguments: Fault.all)
  func withoutSyncsToo(fault: Fault) throws {
    try sweep(fault, persistent: false, on: { try MatchingKeys(synchronous: .normal) }) { $0.advance() }
  }

  /// The outcome is known: nothing was written that could come back.
  @Test(
    "A full disk is reported as diskFull, not as an unknown outcome",
    arguments: [SQLiteWorkspace.Synchronous.normal, .full])
  func aFullDiskIsReportedAsThat(synchronous: SQLiteWorkspace.Synchronous) throws {
    let keys = try MatchingKeys(synchronous: synchronous)
    let plan = try keys.plan(.write, on: .wal, fail: .from(1), with: .full)
    let outcome = keys.advance()
    plan.cancel()
    let error = try #require(throws: WorkspaceError.self) { try outcome.get() }
    #expect(error.code == .diskFull)
    try keys.check(outcome, "full disk")
  }

  @Test(
    "A large transaction with failing writes commits or leaves no trace", arguments: [FaultCode.full, .ioErrorWrite])
  func aLargeTransactionSurvivesAFailure(code: FaultCode) throws {
    for number in [1, 2, 3, 10, 200, 700, 1_500, 1_900] {
      for persistent in [false, true] {
        let keys = try MatchingKeys(synchronous: .normal)
        let plan = try keys.plan(.write, on: .wal, fail: persistent ? .from(number) : .once(number), with: code)
        let outcome = keys.advance(padding: Self.morePaddingThanIsCached)
        #expect(plan.faultCount > 0)
        plan.cancel()
        try keys.check(outcome, "write \(number), persistent: \(persistent)")
      }
    }
  }

  /// Once the cause is gone, SQLite's page cache no longer holds pages that it couldn't read back during the rollback.
  @Test(
    "A large transaction with failing reads commits or leaves no trace", arguments: [FaultCode.corrupt, .ioErrorRead])
  func aLargeTransactionSurvivesReadsThatFail(code: FaultCode) throws {
    for number in [1, 2, 3, 5, 10, 15, 20] {
      let keys = try MatchingKeys(synchronous: .normal)
      let plan = try keys.plan(.read, on: .any, fail: .from(number), with: code)
      let outcome = keys.advance(padding: Self.morePaddingThanIsCached)
      #expect(plan.faultCount > 0, "read \(number)")
      plan.cancel()
      try keys.check(outcome, "read \(number) and all after it")
    }
  }

  // MARK: Plain writes

  @Test("A failed plain write is reported and undone", arguments: Fault.lasting)
  func aPlainWriteThatFailsIsReportedAndUndone(fault: Fault) throws {
    for number in 1...Fault.mostOperations {
      let keys = try MatchingKeys()
      let plan = try keys.plan(fault.operations, on: fault.files, fail: .from(number), with: fault.code)
      keys.workspace.dictionary["left"] = 2
      keys.workspace.dictionary["right"] = 2
      let outcome = Result { try keys.workspace.dictionary.synchronize() }
      let failures = plan.faultCount
      plan.cancel()
      let what: Comment = "\(fault), operation \(number) and all after it"
      if case .failure(let error) = outcome {
        let error = try #require(error as? WorkspaceError, what)
        try keys.errors.wait(forCount: 1)
        #expect(keys.errors.events.contains { $0.code == error.code }, what)
      } else {
        // The writes may have gone into two groups, of which the first failed before `synchronize()`.
        if keys.errors.events.isEmpty {
          #expect(keys.workspace.dictionary["left", Int.self] == 2, what)
          #expect(keys.workspace.dictionary["right", Int.self] == 2, what)
        }
      }
      try checkThatCacheAndFileAgree(keys, what)
      if failures == 0 {
        #expect(throws: Never.self, what) { try outcome.get() }
        return
      }
    }
    Issue.record("\(fault): Run \(Fault.mostOperations) still failed an operation")
  }

  private func checkThatCacheAndFileAgree(_ keys: MatchingKeys, _ what: Comment) throws {
    let cached = ["left", "right"].map { keys.workspace.dictionary[$0, Int.self] }
    let other = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
    let stored = try ["left", "right"].map { try other.dictionary.value(forKey: $0, as: Int.self) }
    other.shutdown()
    // The next transaction settles an unknown outcome. By then, cache and file have to agree.
    try keys.workspace.transactAndWait { txn in txn.dictionary["done"] = true }
    let settled = ["left", "right"].map { keys.workspace.dictionary[$0, Int.self] }
    #expect(settled == stored, "cache \(cached), then \(settled), file \(stored); \(what)")
    keys.workspace.dictionary["left"] = 9
    try keys.workspace.dictionary.synchronize()
    #expect(keys.workspace.dictionary["left", Int.self] == 9, what)
  }
}

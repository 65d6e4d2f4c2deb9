import DflatKV
import TestSupport
import Testing

/// Fails each file operation in turn, in each way, and checks the entire state afterwards (A1, A2, A4, A7).
@Suite struct FaultSweepTests {
  /// Fails the 1st, 2nd, … operation of `body` until a run meets no failure.
  private func sweep(
    _ fault: Fault, persistent: Bool, bench make: () throws -> FaultBench,
    _ body: (FaultBench) -> Result<Void, any Error>
  ) throws {
    for number in 1...500 {
      let bench = try make()
      let plan = try bench.plan(
        fault.operations, on: fault.files, fail: persistent ? .from(number) : .once(number), with: fault.code)
      let outcome = body(bench)
      let failures = plan.faultCount
      plan.cancel()
      try bench.check(outcome, "\(fault), operation \(number)\(persistent ? " and all after it" : "")")
      if failures == 0 {
        #expect(throws: Never.self, "\(fault): The transaction failed although no operation did") { try outcome.get() }
        return
      }
    }
    Issue.record("\(fault): The 500th run still failed an operation")
  }

  @Test("A transaction with a single failing operation commits or leaves no trace", arguments: Fault.all)
  func aTransactionSurvivesOneFailure(fault: Fault) throws {
    try sweep(fault, persistent: false, bench: { try FaultBench() }) { $0.advance() }
  }

  @Test("A transaction with lasting failures commits or leaves no trace", arguments: Fault.lasting)
  func aTransactionSurvivesALastingFailure(fault: Fault) throws {
    try sweep(fault, persistent: true, bench: { try FaultBench() }) { $0.advance() }
  }

  @Test("A transaction without syncs commits or leaves no trace when an operation fails", arguments: Fault.all)
  func withoutSyncsToo(fault: Fault) throws {
    try sweep(fault, persistent: false, bench: { try FaultBench(synchronous: .normal) }) { $0.advance() }
  }

  /// The outcome is known: nothing was written that could come back.
  @Test(
    "A full disk is reported as diskFull, not as an unknown outcome",
    arguments: [SQLiteWorkspace.Synchronous.normal, .full])
  func aFullDiskIsReportedAsThat(synchronous: SQLiteWorkspace.Synchronous) throws {
    let bench = try FaultBench(synchronous: synchronous)
    let plan = try bench.plan(.write, on: .wal, fail: .from(1), with: .full)
    let outcome = bench.advance()
    plan.cancel()
    let error = try #require(throws: WorkspaceError.self) { try outcome.get() }
    #expect(error.code == .diskFull)
    try bench.check(outcome, "full disk")
  }

  /// The group is so large that SQLite writes pages to the log before the commit.
  @Test(
    "A large transaction with failing writes commits or leaves no trace", arguments: [FaultCode.full, .ioErrorWrite])
  func aLargeTransactionSurvivesAFailure(code: FaultCode) throws {
    for number in [1, 2, 3, 10, 200, 700, 1_500, 1_900] {
      for persistent in [false, true] {
        let bench = try FaultBench(synchronous: .normal)
        let plan = try bench.plan(.write, on: .wal, fail: persistent ? .from(number) : .once(number), with: code)
        let outcome = bench.advance(padding: 6_000_000)
        #expect(plan.faultCount > 0)
        plan.cancel()
        try bench.check(outcome, "write \(number), persistent: \(persistent)")
      }
    }
  }

  /// Once the cause is gone, SQLite's page cache no longer holds pages that it couldn't read back during the rollback.
  @Test(
    "A large transaction with failing reads commits or leaves no trace", arguments: [FaultCode.corrupt, .ioErrorRead])
  func aLargeTransactionSurvivesReadsThatFail(code: FaultCode) throws {
    for number in [1, 2, 3, 5, 10, 15, 20] {
      let bench = try FaultBench(synchronous: .normal)
      let plan = try bench.plan(.read, on: .any, fail: .from(number), with: code)
      let outcome = bench.advance(padding: 6_000_000)
      #expect(plan.faultCount > 0, "read \(number)")
      plan.cancel()
      try bench.check(outcome, "read \(number) and all after it")
    }
  }

  // MARK: Plain writes

  @Test("A failed plain write is reported and undone", arguments: Fault.lasting)
  func aPlainWriteThatFailsIsReportedAndUndone(fault: Fault) throws {
    for number in 1...500 {
      let bench = try FaultBench()
      let plan = try bench.plan(fault.operations, on: fault.files, fail: .from(number), with: fault.code)
      bench.workspace.dictionary["left"] = 2
      bench.workspace.dictionary["right"] = 2
      let outcome = Result { try bench.workspace.dictionary.synchronize() }
      let failures = plan.faultCount
      plan.cancel()
      let what: Comment = "\(fault), operation \(number) and all after it"
      if case .failure(let error) = outcome {
        let error = try #require(error as? WorkspaceError, what)
        try bench.reported.wait(forCount: 1)
        #expect(bench.reported.events.contains { $0.code == error.code }, what)
      } else {
        // The writes may have gone into two groups, of which the first failed before `synchronize()`.
        if bench.reported.events.isEmpty {
          #expect(bench.workspace.dictionary["left", Int.self] == 2, what)
          #expect(bench.workspace.dictionary["right", Int.self] == 2, what)
        }
      }
      try checkThatCacheAndFileAgree(bench, what)
      if failures == 0 {
        #expect(throws: Never.self, what) { try outcome.get() }
        return
      }
    }
    Issue.record("\(fault): The 500th run still failed an operation")
  }

  private func checkThatCacheAndFileAgree(_ bench: FaultBench, _ what: Comment) throws {
    let cached = ["left", "right"].map { bench.workspace.dictionary[$0, Int.self] }
    let other = try SQLiteWorkspace.open(filePath: bench.directory.file(), options: FaultBench.options)
    let stored = try ["left", "right"].map { try other.dictionary.value(forKey: $0, as: Int.self) }
    other.shutdown()
    // The next transaction settles an unknown outcome. By then, cache and file have to agree.
    try bench.workspace.transactAndWait { txn in txn.dictionary["done"] = true }
    let settled = ["left", "right"].map { bench.workspace.dictionary[$0, Int.self] }
    #expect(settled == stored, "cache \(cached), then \(settled), file \(stored); \(what)")
    bench.workspace.dictionary["left"] = 9
    try bench.workspace.dictionary.synchronize()
    #expect(bench.workspace.dictionary["left", Int.self] == 9, what)
  }
}

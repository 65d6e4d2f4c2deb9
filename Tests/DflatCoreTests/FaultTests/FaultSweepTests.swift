import DflatKV
import TestSupport
import Testing

/// Fails each operation on the files in turn, in each way, and looks at everything afterwards (A1, A2, A4, A7).
@Suite struct FaultSweepTests {
  /// Fails the 1st, 2nd, … operation of `body` until one run meets no failure any more.
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
        #expect(throws: Never.self, "\(fault): no failure, and yet an error") { try outcome.get() }
        return
      }
    }
    Issue.record("\(fault) never ran out of operations to fail")
  }

  @Test(arguments: Fault.all) func aTransactionSurvivesOneFailure(fault: Fault) throws {
    try sweep(fault, persistent: false, bench: { try FaultBench() }) { $0.advance() }
  }

  @Test(arguments: Fault.lasting) func aTransactionSurvivesALastingFailure(fault: Fault) throws {
    try sweep(fault, persistent: true, bench: { try FaultBench() }) { $0.advance() }
  }

  @Test(arguments: Fault.all) func withoutSyncsToo(fault: Fault) throws {
    try sweep(fault, persistent: false, bench: { try FaultBench(synchronous: .normal) }) { $0.advance() }
  }

  /// A full disk is called that, not a mystery: nothing was written that could come back.
  @Test(arguments: [SQLiteWorkspace.Synchronous.normal, .full])
  func aFullDiskIsReportedAsThat(synchronous: SQLiteWorkspace.Synchronous) throws {
    let bench = try FaultBench(synchronous: synchronous)
    let plan = try bench.plan(.write, on: .wal, fail: .from(1), with: .full)
    let outcome = bench.advance()
    plan.cancel()
    let error = try #require(throws: WorkspaceError.self) { try outcome.get() }
    #expect(error.code == .diskFull)
    try bench.check(outcome, "full disk")
  }

  /// A group so large that SQLite writes pages to the log before the commit.
  @Test(arguments: [FaultCode.full, .ioErrorWrite])
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

  /// What SQLite could not read back while it rolled back is in its page cache no more when the cause is gone.
  @Test(arguments: [FaultCode.corrupt, .ioErrorRead])
  func aLargeTransactionSurvivesReadsThatFail(code: FaultCode) throws {
    for number in [1, 2, 3, 5, 10, 15, 20] {
      let bench = try FaultBench(synchronous: .normal)
      let plan = try bench.plan(.read, on: .any, fail: .from(number), with: code)
      let outcome = bench.advance(padding: 6_000_000)
      plan.cancel()
      try bench.check(outcome, "read \(number) and all after it")
    }
  }

  // MARK: Plain writes

  @Test(arguments: Fault.lasting) func aPlainWriteThatFailsIsReportedAndUndone(fault: Fault) throws {
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
        // The writes may have gone in two groups, and the first have failed before anyone synchronised.
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
    Issue.record("\(fault) never ran out of operations to fail")
  }

  private func checkThatCacheAndFileAgree(_ bench: FaultBench, _ what: Comment) throws {
    let cached = ["left", "right"].map { bench.workspace.dictionary[$0, Int.self] }
    let other = try SQLiteWorkspace.open(filePath: bench.directory.file(), options: FaultBench.options)
    let stored = try ["left", "right"].map { try other.dictionary.value(forKey: $0, as: Int.self) }
    other.shutdown()
    // What is unknown at first is settled by the next transaction; both have to show the same by then.
    try bench.workspace.transactAndWait { txn in txn.dictionary["done"] = true }
    let settled = ["left", "right"].map { bench.workspace.dictionary[$0, Int.self] }
    #expect(settled == stored, "cache \(cached), then \(settled), file \(stored); \(what)")
    bench.workspace.dictionary["left"] = 9
    try bench.workspace.dictionary.synchronize()
    #expect(bench.workspace.dictionary["left", Int.self] == 9, what)
  }
}

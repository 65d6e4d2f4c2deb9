import DflatKV
import TestSupport
import Testing

/// Reads that fail: told apart from absence, never cached, and without consequences for those who share the group.
@Suite struct FailedReadTests {
  /// Keys enough that a read of one of them has to go to the file.
  private static let filler = 600

  private func coldBench() throws -> FaultBench {
    let bench = try FaultBench(filler: Self.filler)
    return bench
  }

  @Test(arguments: [FaultCode.ioErrorRead, .ioErrorShortRead, .badData])
  func aFailedColdReadThrowsAndIsNotCachedAsAbsence(code: FaultCode) throws {
    let bench = try coldBench()
    // Another workspace on the file has nothing cached.
    let other = try SQLiteWorkspace.open(filePath: bench.directory.file(), options: FaultBench.options)
    let plan = try bench.plan(.read, fail: .from(1), with: code)
    #expect(throws: WorkspaceError.self) { try other.dictionary.value(forKey: "filler500", as: String.self) }
    #expect(other.dictionary["filler500", String.self] == nil)
    #expect(plan.faultCount > 0)
    plan.cancel()
    #expect(try other.dictionary.value(forKey: "filler500", as: String.self)?.count == 3_000)
    #expect(other.dictionary["filler500", String.self]?.count == 3_000)
    #expect(try other.dictionary.value(forKey: "no such key", as: String.self) == nil)
  }

  /// SQLite rolls the whole transaction back when a read in it fails. Whoever is in the group has to be told.
  ///
  ///     first: set, end ──► group is handed on ──► second: read fails, SQLite rolls back ──► neither is in the file
  @Test func aFailedReadDoesNotLoseTheRestOfTheGroupInSilence() throws {
    for number in 1...12 {
      let bench = try coldBench()
      let workspace = bench.workspace
      // A writer with nothing in its page cache.
      let fresh = try SQLiteWorkspace.open(filePath: bench.directory.file(), options: FaultBench.options)
      let firstRuns = Gate("the first transaction runs")
      let mayEnd = Gate("the second transaction is queued")
      let plans = EventLog<FaultPlan>()
      let first = BackgroundThread("first") {
        try fresh.transactAndWait { txn in
          txn.dictionary["first"] = number
          firstRuns.open()
          try mayEnd.wait()
        }
      }
      try firstRuns.wait()
      let outcomes = EventLog<Bool>()
      fresh.performChanges([]) { txn in
        if let plan = try? bench.plan(.read, fail: .once(number), with: .ioErrorRead) { plans.append(plan) }
        txn.dictionary["second"] = number
        for index in stride(from: 0, to: Self.filler, by: 7) { _ = txn.dictionary["filler\(index)", String.self] }
        for plan in plans.events { plan.cancel() }
      } completionHandler: { succeeded in
        outcomes.append(succeeded)
      }
      mayEnd.open()
      let firstOutcome = Result { try first.join() }
      try outcomes.wait(forCount: 1)
      let secondSucceeded = outcomes.events == [true]
      let stored = try workspace.transactAndWait { txn in
        (
          try txn.dictionary.value(forKey: "first", as: Int.self),
          try txn.dictionary.value(forKey: "second", as: Int.self)
        )
      }
      switch firstOutcome {
      case .success: #expect(stored.0 == number, "told of success, and not in the file; read \(number)")
      case .failure: #expect(stored.0 == nil, "told of failure, and in the file; read \(number)")
      }
      #expect((stored.1 != nil) == secondSucceeded, "read \(number)")
      #expect(fresh.dictionary["first", Int.self] == stored.0)
      #expect(fresh.dictionary["second", Int.self] == stored.1)
      fresh.shutdown()
      let outcome = bench.advance()
      try bench.check(outcome, "after read \(number)")
    }
  }

  /// A snapshot that cannot be taken answers with errors, not with nothing.
  @Test func aSnapshotThatCannotBeTakenThrows() throws {
    let bench = try coldBench()
    let other = try SQLiteWorkspace.open(filePath: bench.directory.file(), options: FaultBench.options)
    let plan = try bench.plan([.read, .open, .sharedMemoryMap], fail: .from(1), with: .ioError)
    other.fetchWithinASnapshot {
      #expect(throws: WorkspaceError.self) { try other.dictionary.value(forKey: "filler1", as: String.self) }
    }
    plan.cancel()
    other.fetchWithinASnapshot {
      #expect(throws: Never.self) {
        let value = try other.dictionary.value(forKey: "filler1", as: String.self)
        #expect(value?.count == 3_000)
      }
    }
  }
}

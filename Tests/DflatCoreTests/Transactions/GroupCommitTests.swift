import DflatKV
import TestSupport
import Testing

/// Group commit: many transactions share one COMMIT, and each succeeds or fails on its own.
@Suite struct GroupCommitTests {
  /// Queues transactions behind one that waits, so that all are queued when it ends. Returns their outcomes in order.
  private func run(
    _ test: TestWorkspace, _ bodies: [@Sendable (TransactionContext) throws -> Void]
  ) throws -> [WorkspaceError.Code?] {
    let workspace = test.workspace
    let isHeld = Gate("the write token is held")
    let mayEnd = Gate("all are queued")
    workspace.performChanges([Author.self]) { txn in
      txn.dictionary["holder"] = 1
      isHeld.open()
      #expect(throws: Never.self) { try mayEnd.wait() }
    }
    try isHeld.wait()
    let outcomes = EventLog<(Int, WorkspaceError.Code?)>()
    for (index, body) in bodies.enumerated() {
      workspace.core.perform([Author.self], body: body) { result in
        switch result {
        case .success: outcomes.append((index, nil))
        case .failure(let error): outcomes.append((index, (error as? WorkspaceError)?.code ?? .sqlite))
        }
      }
    }
    mayEnd.open()
    return try outcomes.wait(forCount: bodies.count).sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func commits(_ test: TestWorkspace, _ keys: [String]) throws -> [UInt64?] {
    try keys.map { try test.workspace.dictionary.commitNumber(forKey: $0) }
  }

  private let keys = (1...5).map { "key\($0)" }

  private func writers() -> [@Sendable (TransactionContext) throws -> Void] {
    keys.map { key in { txn in txn.dictionary[key] = 1 } }
  }

  @Test("Transactions that queue behind each other share a commit")
  func oneCommit() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let outcomes = try run(test, writers())
    #expect(outcomes.allSatisfy { $0 == nil })
    #expect(try commits(test, ["holder"] + keys) == Array(repeating: 1, count: 6))
    #expect(test.workspace.commitNumber == 1)
  }

  @Test("A group holds at most the maximum number of members")
  func boundedByCount() throws {
    let test = try TestWorkspace {
      $0.commitLate()
      $0.groupPolicy.maximumMembers = 2
    }
    let outcomes = try run(test, writers())
    #expect(outcomes.allSatisfy { $0 == nil })
    #expect(try commits(test, ["holder"] + keys) == [1, 1, 2, 2, 3, 3])
  }

  @Test("A group commits when it reaches its maximum age")
  func boundedByAge() throws {
    let test = try TestWorkspace { $0.groupPolicy.maximumAge = .zero }
    let outcomes = try run(test, writers())
    #expect(outcomes.allSatisfy { $0 == nil })
    #expect(try commits(test, ["holder"] + keys) == [1, 2, 3, 4, 5, 6])
  }

  @Test("A7: Every member of a group fails with diskFull when the disk is full")
  func fullDisk() throws {
    let test = try TestWorkspace {
      $0.commitLate()
      $0.vfs = FaultPlan.vfsName
    }
    let plans = EventLog<FaultPlan>()
    let outcomes = try run(
      test,
      writers() + [
        { txn in
          // This is more than SQLite keeps in memory.
          for number in 0..<8_000 { txn.dictionary["large\(number)"] = String(repeating: "v", count: 2_000) }
          plans.append(try FaultPlan(.write, in: test.directory.path, fail: .from(1), with: .full))
        }
      ])
    for plan in plans.events { plan.cancel() }
    #expect(outcomes == Array(repeating: .diskFull, count: 6))
    #expect(test.workspace.dictionary.keys == [])
    try test.workspace.transactAndWait { txn in txn.dictionary["again"] = 1 }
    #expect(try commits(test, ["again"]) == [1])
  }

  @Test("A3: A transaction reads the changes of earlier members of its group")
  func membersReadEachOther() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let outcomes = try run(
      test,
      (1...5).map { number in
        { txn in
          #expect(txn.dictionary["sum", Int.self] == (number == 1 ? nil : number - 1))
          #expect(txn.dictionary.keys == (number == 1 ? ["holder"] : ["holder", "sum"]))
          txn.dictionary["sum"] = number
        }
      })
    #expect(outcomes.allSatisfy { $0 == nil })
    #expect(test.workspace.commitNumber == 1)
    #expect(test.workspace.dictionary["sum", Int.self] == 5)
  }

  @Test("A1: A failed member of a group loses only its own changes")
  func aMemberFails() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let outcomes = try run(
      test,
      [
        { txn in txn.dictionary["sum"] = 1 },
        { txn in
          txn.dictionary["sum"] = 100
          txn.dictionary["thrown"] = 100
          throw Refusal()
        },
        { txn in
          #expect(txn.dictionary["sum", Int.self] == 1)
          #expect(txn.dictionary["thrown", Int.self] == nil)
          txn.dictionary["sum"] = 2
        },
        { txn in
          txn.dictionary.removeAll()
          txn.dictionary["aborted"] = 100
          txn.abort()
        },
        { txn in
          #expect(txn.dictionary.keys == ["holder", "sum"])
          txn.dictionary["sum", default: 0] += 1
        },
      ])
    #expect(outcomes == [nil, .sqlite, nil, .aborted, nil])
    #expect(test.workspace.dictionary.keys == ["holder", "sum"])
    #expect(test.workspace.dictionary["sum", Int.self] == 3)
    #expect(try test.stored("sum") == 3)
    #expect(test.workspace.commitNumber == 1)
  }

  @Test("A group whose members all fail makes no commit")
  func allFail() throws {
    let test = try TestWorkspace()
    let bodies = keys.map { key -> @Sendable (TransactionContext) throws -> Void in
      { txn in
        txn.dictionary[key] = 1
        throw Refusal()
      }
    }
    let outcomes = try run(test, bodies)
    #expect(outcomes == Array(repeating: .sqlite, count: 5))
    #expect(test.workspace.dictionary.keys == ["holder"])
    #expect(test.workspace.commitNumber == 1)
  }

  @Test("A5: Earlier plain writes join the group before its next member")
  func plainWritesJoin() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let workspace = test.workspace
    let isHeld = Gate("the write token is held")
    let mayEnd = Gate("all are queued")
    workspace.performChanges([]) { txn in
      txn.dictionary["holder"] = 1
      isHeld.open()
      #expect(throws: Never.self) { try mayEnd.wait() }
    }
    try isHeld.wait()
    workspace.dictionary["plain"] = 1
    #expect(try test.stored("plain") == nil)
    workspace.performChanges([]) { txn in
      #expect(txn.dictionary["plain", Int.self] == 1)
      txn.dictionary["plain"] = 2
    }
    mayEnd.open()
    try workspace.transactAndWait { txn in #expect(txn.dictionary["plain", Int.self] == 2) }
    #expect(workspace.dictionary["plain", Int.self] == 2)
  }

  //  thread   in its closure: queues B ── returns from transactAndWait ── opens the gate
  //  worker                                B begins, with the token, and waits for the gate
  @Test("A11: A blocked caller does not wait for a closure that waits for it")
  func blockedCallersGoFirst() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let workspace = test.workspace
    let hasReturned = Gate("the caller has returned")
    let isDone = Gate("the closure that waited is committed")
    let thread = BackgroundThread {
      try workspace.transactAndWait { txn in
        txn.dictionary["first"] = 1
        workspace.performChanges([]) { txn in
          txn.dictionary["second"] = 1
          #expect(throws: Never.self) { try hasReturned.wait() }
        } completionHandler: { _ in
          isDone.open()
        }
      }
      hasReturned.open()
    }
    try thread.join()
    try isDone.wait()
    #expect(try test.stored("second") == 1)
  }
}

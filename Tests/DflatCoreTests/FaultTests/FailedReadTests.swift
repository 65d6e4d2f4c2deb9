import DflatCore
import DflatKV
import TestSupport
import Testing

/// Failed reads: they differ from absences, are never cached, and never silently lose another group member's changes.
@Suite struct FailedReadTests {
  /// Enough keys that a read of one of them has to go to the file.
  private static let filler = 600

  private func coldKeys() throws -> MatchingKeys {
    try MatchingKeys(filler: Self.filler)
  }

  @Test(
    "A failed read of an uncached key throws and is not cached as an absence",
    arguments: [FaultCode.ioErrorRead, .ioErrorShortRead, .badData])
  func aFailedColdReadThrowsAndIsNotCachedAsAbsence(code: FaultCode) throws {
    let keys = try coldKeys()
    // Another workspace on the file has nothing cached.
    let other = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
    let plan = try keys.plan(.read, fail: .from(1), with: code)
    #expect(throws: WorkspaceError.self) { try other.dictionary.value(forKey: "filler500", as: String.self) }
    #expect(other.dictionary["filler500", String.self] == nil)
    #expect(plan.faultCount > 0)
    plan.cancel()
    #expect(try other.dictionary.value(forKey: "filler500", as: String.self)?.count == MatchingKeys.fillerLength)
    #expect(other.dictionary["filler500", String.self]?.count == MatchingKeys.fillerLength)
    #expect(try other.dictionary.value(forKey: "no such key", as: String.self) == nil)
  }

  /// Fails a read in the second transaction of a group, which then runs `continuation`. Expects that each member's
  /// outcome is what the file shows.
  ///
  /// SQLite rolls back the whole transaction when a read in it fails. Every member of the group has to be told.
  ///
  ///     first: set, end ──► group is handed on ──► second: read fails, SQLite rolls back ──► neither is in the file
  ///
  /// Other connections read the file at the same time, as the workspaces' own watches do. Only the closure's read
  /// fails.
  private func expectTrueOutcomes(
    followers: [String] = [], afterRead continuation: @escaping @Sendable (TransactionContext) -> Void = { _ in }
  ) throws {
    let keys = try coldKeys()
    // A writer with an empty page cache.
    let fresh = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
    let bystander = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
    let folder = keys.directory.path
    let core = fresh.core
    let queued = Gate("all are queued")
    let outcomes = EventLog<(String, Bool)>()
    let failures = EventLog<any Error>()
    fresh.performChanges([]) { txn in
      txn.dictionary["first"] = 1
      try? queued.wait()
    } completionHandler: { succeeded in
      outcomes.append(("first", succeeded))
    }
    fresh.performChanges([]) { txn in
      txn.dictionary["second"] = 1
      let isFirst = Lock(true)
      let plan = try? FaultPlan(.read, in: folder, at: .from(1)) {
        guard ThreadContext.transaction(of: core) != nil else { return nil }
        return isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst ? .ioErrorRead : nil
        }
      }
      defer { plan?.cancel() }
      let elsewhere = BackgroundThread { try bystander.dictionary.value(forKey: "filler400", as: String.self) }
      #expect((try? elsewhere.join())?.count == MatchingKeys.fillerLength)
      do { _ = try txn.dictionary.value(forKey: "filler300", as: String.self) } catch { failures.append(error) }
      continuation(txn)
    } completionHandler: { succeeded in
      outcomes.append(("second", succeeded))
    }
    for follower in followers {
      fresh.performChanges([]) { txn in
        txn.dictionary[follower] = 1
      } completionHandler: { succeeded in
        outcomes.append((follower, succeeded))
      }
    }
    queued.open()
    let told = try outcomes.wait(forCount: 2 + followers.count)
    #expect(failures.events.count == 1)
    let other = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
    for (key, succeeded) in told {
      let stored = try other.dictionary.value(forKey: key, as: Int.self)
      #expect((stored != nil) == succeeded, "\(key) was told \(succeeded), but the file holds \(stored as Any)")
      #expect(fresh.dictionary[key, Int.self] == stored, "The cache agrees with the file")
    }
    #expect(try other.checkIntegrity() == [])
    for workspace in [other, fresh, bystander] { workspace.shutdown() }
    try keys.check(keys.advance(), "after a failed read")
  }

  @Test("No member of a group is lost silently when a read in the group fails and its closure continues")
  func theClosureContinues() throws { try expectTrueOutcomes() }

  @Test("No member of a group is lost silently when a read in the group fails and its closure aborts")
  func theClosureAborts() throws { try expectTrueOutcomes { $0.abort() } }

  @Test("No member of a group is lost silently when a read before the last member fails")
  func anotherMemberFollows() throws { try expectTrueOutcomes(followers: ["third"]) }

  /// A failed read ends the snapshot's transaction in SQLite. The connection must not answer as if its view were still
  /// open: it would show another process's later commit, next to a cache without that commit.
  ///
  ///     workspace: caches "left" ─ snapshot: ─ a read fails ─┤ reads "right", then "left": both of one commit
  ///     other:                               commits 2
  @Test("After a read error in a snapshot, later reads have a new view")
  func afterAReadErrorInASnapshotTheNextReadHasANewView() throws {
    let keys = try coldKeys()
    var options = SQLiteWorkspace.Options.onFaultVFS
    options.followsOtherProcesses = false
    let reader = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: options)
    #expect(try reader.dictionary.value(forKey: "left", as: Int.self) == 1)
    reader.fetchWithinASnapshot {
      let outcome = keys.advance()
      #expect(throws: Never.self) { try outcome.get() }
      let plan = try? keys.plan(.read, fail: .from(1), with: .ioErrorRead)
      #expect(throws: WorkspaceError.self) { try reader.dictionary.value(forKey: "filler300", as: String.self) }
      plan?.cancel()
    }
    #expect(try reader.dictionary.value(forKey: "right", as: Int.self) == 2)
    #expect(try reader.dictionary.value(forKey: "left", as: Int.self) == 2)
    reader.shutdown()
  }

  ///     snapshot:  pins 1 ─ a read fails, SQLite ends the view ───────────── reads on: an error, not 2
  ///     other:                                                 └─ commits 2 ─┘
  @Test("A6: After a read error, a snapshot's reads fail instead of showing another commit")
  func readsAfterTheEndOfAView() throws {
    let keys = try coldKeys()
    var options = SQLiteWorkspace.Options.onFaultVFS
    options.followsOtherProcesses = false
    let reader = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: options)
    defer { reader.shutdown() }
    #expect(try reader.dictionary.value(forKey: "left", as: Int.self) == 1)
    try reader.fetchWithinASnapshot {
      let plan = try keys.plan(.read, fail: .from(1), with: .ioErrorRead)
      #expect(throws: WorkspaceError.self) { try reader.dictionary.value(forKey: "filler300", as: String.self) }
      plan.cancel()
      try keys.advance().get()
      let codes = [
        try errorCode { _ = try reader.dictionary.value(forKey: "right", as: Int.self) },
        try errorCode { _ = try reader.dictionary.entries(withPrefix: "right") },
        try errorCode { _ = try reader.fileStatistics() },
      ]
      #expect(codes == [.inputOutput, .inputOutput, .inputOutput])
      // The cache still has the snapshot's value.
      #expect(try reader.dictionary.value(forKey: "left", as: Int.self) == 1)
    }
    #expect(try reader.dictionary.value(forKey: "right", as: Int.self) == 2)
  }

  ///     first:   set, end ─ passes the group on ─┐                        ┌─ is told why
  ///     second:  └─ queued                       └─ a read fails, SQLite undoes the group
  @Test("All members of a group that a failed read has undone get the read's error")
  func theGroupIsToldTheCause() throws {
    let keys = try coldKeys()
    let reported = EventLog<WorkspaceError>()
    var options = SQLiteWorkspace.Options.onFaultVFS
    options.commitLate()
    options.errorHandler = { reported.append($0) }
    let fresh = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: options)
    defer { fresh.shutdown() }
    let (folder, core) = (keys.directory.path, fresh.core)
    let isQueued = Gate("the second transaction is queued")
    let outcomes = EventLog<Bool>()
    fresh.performChanges([]) { txn in
      txn.dictionary["first"] = 1
      try? isQueued.wait()
    } completionHandler: { succeeded in
      outcomes.append(succeeded)
    }
    fresh.performChanges([]) { txn in
      let plan = try? FaultPlan(.read, in: folder, at: .from(1)) {
        ThreadContext.transaction(of: core) == nil ? nil : .ioErrorRead
      }
      defer { plan?.cancel() }
      #expect(throws: WorkspaceError.self) { try txn.dictionary.value(forKey: "filler300", as: String.self) }
    } completionHandler: { succeeded in
      outcomes.append(succeeded)
    }
    isQueued.open()
    #expect(try outcomes.wait(forCount: 2) == [false, false])
    let codes = try reported.wait(forCount: 2).map(\.code)
    #expect(codes == [.inputOutput, .inputOutput], "\(reported.events)")
    #expect(fresh.commitNumber == 1)
  }

  @Test("Reads in a snapshot that can't begin throw instead of finding nothing")
  func aSnapshotThatCannotBeTakenThrows() throws {
    let keys = try coldKeys()
    let other = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
    let plan = try keys.plan([.read, .open, .sharedMemoryMap], fail: .from(1), with: .ioError)
    other.fetchWithinASnapshot {
      let read = Result { try other.dictionary.value(forKey: "filler1", as: String.self) }
      #expect(throws: WorkspaceError.self) { try read.get() }
    }
    plan.cancel()
    other.fetchWithinASnapshot {
      let read = Result { try other.dictionary.value(forKey: "filler1", as: String.self) }
      #expect((try? read.get())?.count == MatchingKeys.fillerLength)
    }
  }
}

import DflatKV
import TestSupport
import Testing

/// COMMITs that fail: the workspace determines the outcome before it notifies anyone.
@Suite struct CommitOutcomeTests {
  /// The commit took effect although COMMIT fails. The workspace finds it in the file, and reports success once to
  /// everyone.
  @Test("A commit that took effect succeeds even if COMMIT reports an error")
  func aCommitThatHappenedIsASuccess() throws {
    let keys = try MatchingKeys()
    let plan = try keys.plan(.commitEnd, fail: .once(1), with: .ioError)
    let outcome = keys.advance()
    #expect(plan.faultCount == 1)
    #expect(throws: Never.self) { try outcome.get() }
    try keys.check(outcome, "failure at the end of the commit")
    #expect(keys.observed.events == [1, 2, 3])
  }

  /// The same with a reader, which finds the commit in the file before the writer looks for it.
  ///
  ///     writer                              reader
  ///     COMMIT fails, but has happened
  ///     opens a new connection ── paused    a snapshot shows the commit: publishes it
  ///     finds its commit: publishes         (once is enough)
  @Test("A commit that a reader finds before the writer is delivered once")
  func aCommitThatAReaderFindsFirstIsToldOnce() throws {
    let keys = try MatchingKeys()
    let paused = Gate("the writer opens a new connection")
    let resumed = Gate("the reader has read")
    let failing = try keys.plan(.commitEnd, fail: .once(1), with: .ioError)
    // The workspace's watch may open a connection before the commit; the hook lets that one through.
    let hook = try FaultPlan(.open, on: .main, in: keys.directory.path, at: .from(1)) {
      guard failing.faultCount == 1 else { return nil }
      paused.open()
      return (try? resumed.wait()) == nil ? .ioError : nil
    }
    let workspace = keys.workspace
    let writer = BackgroundThread("writer") {
      try workspace.transactAndWait { txn in
        txn.dictionary["left"] = 2
        txn.dictionary["right"] = 2
      }
    }
    try paused.wait()
    let reader = BackgroundThread("reader") {
      workspace.fetchWithinASnapshot { workspace.dictionary["left", Int.self] }
    }
    // Both are correct: the reader opens a connection of its own, or waits until the outcome is known.
    resumed.open()
    #expect(try reader.join() == 2)
    let outcome = Result { try writer.join() }
    #expect(failing.faultCount == 1)
    hook.cancel()
    #expect(throws: Never.self) { try outcome.get() }
    try keys.check(outcome, "a reader in between")
    #expect(keys.observed.events == [1, 2, 3])
  }

  /// After a sync error at COMMIT, the commit is in the log, but must count as failed and must not come back after a
  /// crash.
  @Test("A commit whose sync failed throws and stays invisible")
  func aCommitWhoseSyncFailedStaysAway() throws {
    for code in [FaultCode.ioErrorSync, .doneButFailed] {
      let keys = try MatchingKeys()
      try keys.advance().get()
      let plan = try keys.plan(.sync, on: .wal, fail: .once(1), with: code)
      let outcome = Result {
        try keys.workspace.transactAndWait { txn in txn.dictionary["ghost"] = "boo" }
      }
      #expect(plan.faultCount == 1)
      plan.cancel()
      let error = try #require(throws: WorkspaceError.self) { try outcome.get() }
      #expect(error.code != .outcomeUnknown)
      #expect(keys.workspace.dictionary["ghost", String.self] == nil)
    }
  }

  /// The same with the entire history recorded: a crash at any instant after the answer brings no commit back that was
  /// reported as failed.
  @Test("A commit that was reported as failed is in no crash image")
  func whatWasToldToHaveFailedIsInNoCrashImage() throws {
    let directory = try TemporaryDirectory("ghost")
    let recorder = try CrashRecorder(folder: directory)
    var options = SQLiteWorkspace.Options.onFaultVFS
    options.synchronous = .full
    let workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
    try workspace.transactAndWait { txn in txn.dictionary["before"] = 1 }
    let plan = try FaultPlan(.sync, on: .wal, in: directory.path, fail: .once(1), with: .doneButFailed)
    let outcome = Result { try workspace.transactAndWait { txn in txn.dictionary["ghost"] = 1 } }
    #expect(plan.faultCount == 1)
    plan.cancel()
    let error = try #require(throws: WorkspaceError.self) { try outcome.get() }
    let told = recorder.count
    try workspace.transactAndWait { txn in txn.dictionary["after"] = 1 }
    let acknowledged = recorder.count
    workspace.shutdown()
    for count in told...recorder.count {
      for image in [CrashRecorder.Image.all, .synced, .subset(seed: UInt64(count))] {
        let folder = try TemporaryDirectory("ghost-image")
        try recorder.writeImage(after: count, image, into: folder)
        let opened = try SQLiteWorkspace.open(filePath: folder.file())
        let what: Comment = "\(image) after operation \(count), \(recorder.describe(count))"
        #expect(try opened.dictionary.value(forKey: "before", as: Int.self) == 1, what)
        if error.code != .outcomeUnknown {
          #expect(try opened.dictionary.value(forKey: "ghost", as: Int.self) == nil, what)
        }
        if count >= acknowledged { #expect(try opened.dictionary.value(forKey: "after", as: Int.self) == 1, what) }
        opened.shutdown()
      }
    }
  }

  /// Several transactions join a group whose COMMIT fails. Each completion reports the outcome that the file shows.
  @Test(
    "Every member of a group whose COMMIT fails gets the outcome that the file shows",
    arguments: [
      (Fault("happened", .commitEnd, .any, .ioError), true), (Fault("sync error", .sync, .wal, .ioErrorSync), false),
      (Fault("full disk", .write, .wal, .full), false),
    ])
  func everyMemberOfTheGroupIsToldTheOutcome(fault: Fault, succeeds: Bool) throws {
    let keys = try MatchingKeys { $0.commitLate() }
    let workspace = keys.workspace
    let firstRuns = Gate("the first transaction runs")
    let othersQueued = Gate("the others are queued")
    let outcomes = EventLog<(Int, Bool)>()
    let plan = try keys.plan(fault.operations, on: fault.files, fail: .once(1), with: fault.code)
    for member in 0..<5 {
      workspace.performChanges([]) { txn in
        if member == 0 {
          txn.dictionary["member0"] = 0
          firstRuns.open()
          try? othersQueued.wait()
        } else {
          txn.dictionary["member\(member)"] = member
        }
      } completionHandler: { succeeded in
        outcomes.append((member, succeeded))
      }
      if member == 0 { try firstRuns.wait() }
    }
    othersQueued.open()
    let told = try outcomes.wait(forCount: 5)
    #expect(plan.faultCount == 1)
    plan.cancel()
    #expect(told.map(\.0) == [0, 1, 2, 3, 4], "Each completion runs once, in commit order")
    #expect(told.map(\.1) == Array(repeating: succeeds, count: 5), "\(fault)")
    let other = try SQLiteWorkspace.open(filePath: keys.directory.file(), options: .onFaultVFS)
    for member in 0..<5 {
      let stored = try other.dictionary.value(forKey: "member\(member)", as: Int.self)
      #expect(stored == (succeeds ? member : nil), "\(fault): member \(member)")
      #expect(workspace.dictionary["member\(member)", Int.self] == stored, "\(fault): member \(member)")
    }
    // The five are one commit.
    #expect(other.commitNumber == (succeeds ? 2 : 1))
    other.shutdown()
  }
}

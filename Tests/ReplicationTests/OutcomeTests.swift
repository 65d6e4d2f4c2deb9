import DflatCore
import DflatKV
import Foundation
import TestSupport
import Testing

/// Appends that fail, and machines that fail around them.
@Suite struct OutcomeTests {
  private let replicas: Replicas
  private let faults = LogFaults()
  private let one: SQLiteWorkspace
  private let other: SQLiteWorkspace

  init() throws {
    replicas = try Replicas()
    one = try replicas.open("one", faults)
    other = try replicas.open("other")
    try one.transactAndWait { $0.dictionary["k"] = "before" }
  }

  private func write(_ value: String) -> WorkspaceError.Code? {
    do { try one.transactAndWait { $0.dictionary["k"] = value } } catch { return (error as? WorkspaceError)?.code }
    return nil
  }

  private func valueElsewhere() throws -> String? { try other.transactAndWait { $0.dictionary["k", String.self] } }

  @Test("A holder that has lost the turn appends nothing, and runs its transaction again")
  func fencing() throws {
    faults.plan(.turnEnds)
    #expect(write("after") == nil)
    #expect(try valueElsewhere() == "after")
    #expect(try replicas.differences() == [])
  }

  /// Takes the turn from `one`, as the end of its lease does, and lets the other machine commit.
  private func overtake(_ value: String) throws {
    replicas.cluster.expireTurn()
    try other.transactAndWait { $0.dictionary["k"] = value }
  }

  @Test("A3, A9: A transaction that changes nothing runs again if another machine has committed since it began")
  func overtakenReader() throws {
    var seen: [String?] = []
    let value = try one.transactAndWait { txn -> String? in
      seen.append(txn.dictionary["k"])
      if seen.count == 1 { try overtake("newer") }
      return seen.last ?? nil
    }
    #expect(value == "newer")
    #expect(seen == ["before", "newer"])
    #expect(try replicas.differences() == [])
  }

  @Test("A3, A9: A transaction that changes nothing fails if it can't learn whether another machine has committed")
  func unconfirmedReader() throws {
    let error = #expect(throws: WorkspaceError.self) {
      try one.transactAndWait { txn in
        _ = txn.dictionary["k", String.self]
        faults.isCutOff = true
      }
    }
    #expect(error?.code == .unavailable)
    faults.isCutOff = false
    #expect(write("after") == nil)
  }

  @Test("A5: A plain write that changes nothing here waits for the commit of another machine that it follows")
  func overtakenRemoval() throws {
    let began = Gate("began")
    let removed = Gate("removed")
    let dictionary = one.dictionary
    let remover = BackgroundThread("remover") {
      try began.wait()
      dictionary["new"] = nil
      removed.open()
    }
    var runs = 0
    try one.transactAndWait { txn in
      runs += 1
      guard txn.dictionary["new", Int.self] == nil, runs == 1 else { return }
      replicas.cluster.expireTurn()
      try other.transactAndWait { $0.dictionary["new"] = 1 }
      began.open()
      try removed.wait()
    }
    try remover.join()
    try one.dictionary.synchronize()
    try other.replication?.catchUp()
    #expect(other.dictionary["new", Int.self] == nil)
    #expect(try replicas.differences() == [])
  }

  @Test("A7: An unknown outcome is reported, and resolved to the truth", arguments: [true, false])
  func unknown(arrives: Bool) throws {
    faults.plan(arrives ? .answerIsLost : .requestIsLost)
    #expect(write("after") == .outcomeUnknown)
    #expect(try valueElsewhere() == (arrives ? "after" : "before"))
    #expect(try one.transactAndWait { $0.dictionary["k", String.self] } == (arrives ? "after" : "before"))
    #expect(try replicas.differences() == [])
  }

  @Test("A2: A refused append leaves nothing", arguments: [CommitLogError.Code.unavailable, .denied, .full, .tooLarge])
  func refused(code: CommitLogError.Code) throws {
    faults.plan(.refused(code))
    let expected: [CommitLogError.Code: WorkspaceError.Code] = [.full: .diskFull, .tooLarge: .tooLarge]
    #expect(write("after") == expected[code, default: .unavailable])
    #expect(one.dictionary["k", String.self] == "before")
    #expect(try valueElsewhere() == "before")
    #expect(write("next") == nil)
    #expect(try replicas.differences() == [])
  }

  @Test("A5, A7: Plain writes of a group that lost the turn are committed by the next one, before later ones")
  func requeued() throws {
    faults.plan(.turnEnds, .refused(.unavailable))
    one.dictionary["a"] = 1
    one.dictionary["b"] = 1
    one.dictionary.removeAll(withPrefix: "a")
    one.dictionary["c"] = 1
    // Fails, unless this thread was so slow that the refused writes have been tried again before.
    try? one.dictionary.synchronize()
    one.dictionary["c"] = 2
    #expect(one.dictionary["b", Int.self] == 1)
    while true {
      do {
        try one.dictionary.synchronize()
        break
      } catch let error as WorkspaceError where error.code == .unavailable || error.code == .conflict { continue }
    }
    try other.replication?.catchUp()
    #expect(other.dictionary["a", Int.self] == nil)
    #expect(other.dictionary["b", Int.self] == 1)
    #expect(other.dictionary["c", Int.self] == 2)
    #expect(replicas.errors.events.isEmpty)
  }

  @Test("A5, A7: A plain write survives a lost turn beside a refused one of its key", arguments: [true, false])
  func requeuedBesideRefused(isRefusedFirst: Bool) throws {
    // The group takes the first write at its beginning, and the second one at its end.
    let dictionary = one.dictionary
    @Sendable func write(isRefused: Bool) {
      if isRefused { dictionary["new"] = Data(count: 1_000_000_001) } else { dictionary["new"] = "good" }
    }
    faults.plan(.turnEnds)
    write(isRefused: isRefusedFirst)
    var runs = 0
    try one.transactAndWait { txn in
      runs += 1
      txn.dictionary["k"] = "after"
      if runs == 1 { try BackgroundThread("writer") { write(isRefused: !isRefusedFirst) }.join() }
    }
    let error = #expect(throws: WorkspaceError.self) { try dictionary.synchronize() }
    #expect(error?.code == .tooLarge)
    try dictionary.synchronize()
    #expect(dictionary["new", String.self] == "good")
    #expect(try other.transactAndWait { $0.dictionary["new", String.self] } == "good")
    #expect(try replicas.differences() == [])
  }

  @Test("A5: A flush whose group lost the turn runs again, with no error for its caller")
  func flushesAgain() async throws {
    faults.plan(.turnEnds, .turnEnds)
    one.dictionary["a"] = 1
    try one.dictionary.synchronize()
    faults.plan(.turnEnds)
    one.dictionary["b"] = 2
    try await one.dictionary.flush()
    try other.replication?.catchUp()
    #expect(other.dictionary["a", Int.self] == 1 && other.dictionary["b", Int.self] == 2)
    #expect(replicas.errors.events.isEmpty)
    #expect(try replicas.differences() == [])
  }

  @Test("A5: Shutdown commits plain writes whose group lost the turn")
  func shutdownAfterLostTurn() throws {
    faults.plan(.turnEnds, .turnEnds)
    one.dictionary["a"] = 1
    replicas.close(one)
    try other.replication?.catchUp()
    #expect(other.dictionary["a", Int.self] == 1)
    #expect(replicas.errors.events.isEmpty)
  }

  @Test("Without a connection reads go on, transactions fail, and plain writes wait")
  func cutOff() throws {
    try other.transactAndWait { $0.dictionary["k"] = "newer" }
    try one.replication?.catchUp()
    faults.isCutOff = true
    #expect(write("after") == .unavailable)
    #expect(one.dictionary["k", String.self] == "newer")
    #expect(one.replication?.status.phase == .unavailable)
    one.dictionary["waits"] = true
    #expect(throws: WorkspaceError.self) { try one.dictionary.synchronize() }
    #expect(one.dictionary["waits", Bool.self] == true)
    faults.isCutOff = false
    try one.dictionary.synchronize()
    #expect(try other.transactAndWait { $0.dictionary["waits", Bool.self] } == true)
    try one.replication?.catchUp()
    #expect(one.replication?.status.phase == .connected)
    #expect(try replicas.differences() == [])
  }

  @Test("Refused credentials are reported once, and plain writes wait until the cluster accepts them")
  func denied() throws {
    let seen = EventLog<Int>()
    let subscription = other.dictionary.subscribe("waits", of: Int.self) {
      if case .updated(let value) = $0 { seen.append(value) }
    }
    replicas.waitForFollowers(2)
    faults.isDenied = true
    one.dictionary["waits"] = 1
    for _ in 0..<2 { #expect(throws: WorkspaceError.self) { try one.dictionary.synchronize() } }
    #expect(one.replication?.status.phase == .unavailable)
    faults.isDenied = false
    try other.transactAndWait { $0.dictionary["k"] = "newer" }
    try seen.wait(forCount: 1)
    withExtendedLifetime(subscription) {}
    try one.settle()
    let errors = replicas.errors.events
    #expect(errors.map(\.code) == [.unavailable] && errors[0].message.contains("check the credentials"))
    // A later refusal is new.
    faults.plan(.refused(.denied))
    #expect(write("refused") == .unavailable)
    try replicas.errors.wait(forCount: 2)
    #expect(try replicas.differences() == [])
  }

  @Test("A program that may read the cluster and not write to it has one status, although it follows")
  func readOnly() throws {
    let lines = EventLog<LogEntry>()
    let limited = try replicas.open("limited", faults) { options, _ in
      options.logger = CapturingLogHandler.logger(lines)
    }
    let replication = try #require(limited.replication)
    try replication.catchUp()
    #expect(replication.error == nil)
    faults.isReadOnly = true
    limited.dictionary["waits"] = 1
    #expect(throws: WorkspaceError.self) { try limited.dictionary.synchronize() }
    try lines.wait { $0.contains { $0.text.contains("refuses commits") } }
    for number in 1...5 {
      try other.transactAndWait { $0.dictionary["k"] = "\(number)" }
      try replication.catchUp()
      #expect(limited.dictionary["k", String.self] == "\(number)")
      #expect(replication.status.phase == .unavailable)
      #expect(replication.error?.message.contains("permission denied") == true)
    }
    // The plain write is tried again and again meanwhile.
    try limited.settle()
    let phases = lines.events.filter { $0.text.contains("its cluster, at") || $0.text.contains("reads go on") }
    #expect(phases.count { $0.level == .warning } == 1 && phases.last?.level == .warning, "\(phases)")
    #expect(replicas.errors.events.map(\.code) == [.unavailable])
    // A snapshot that it can't store changes nothing.
    #expect(throws: WorkspaceError.self) { try replication.storeSnapshot() }
    #expect(replication.error?.message.contains("permission denied") == true)
    // It is allowed to write.
    let seen = EventLog<Int>()
    let subscription = other.dictionary.subscribe("waits", of: Int.self) {
      if case .updated(let value) = $0 { seen.append(value) }
    }
    faults.isReadOnly = false
    try seen.wait(forCount: 1)
    try limited.dictionary.synchronize()
    #expect(replication.error == nil)
    #expect(try replicas.differences() == [])
    withExtendedLifetime(subscription) {}
  }

  @Test("A turn that another machine keeps is no outage")
  func keptTurn() throws {
    let hasty = try replicas.open("hasty") { $1.timeout = .milliseconds(50) }
    let (began, goOn) = (Gate("began"), Gate("goOn"))
    let holder = BackgroundThread("holder") { [other] in
      try other.transactAndWait { txn in
        txn.dictionary["k"] = "kept"
        began.open()
        try goOn.wait()
      }
    }
    try began.wait()
    for _ in 0..<3 {
      let error = #expect(throws: WorkspaceError.self) { try hasty.transactAndWait { $0.dictionary["k"] = "late" } }
      #expect(error?.code == .unavailable && error?.message.contains("can't be reached") == false)
      #expect(hasty.replication?.status.phase == .connected && hasty.replication?.error == nil)
    }
    goOn.open()
    try holder.join()
    #expect(try valueElsewhere() == "kept")
  }

  @Test("A snapshot that the user may not store leaves the status as it is")
  func readOnlySnapshot() throws {
    let limits = LogFaults()
    let limited = try replicas.open("limited", limits)
    let replication = try #require(limited.replication)
    limits.isReadOnly = true
    try other.transactAndWait { $0.dictionary["k"] = "newer" }
    #expect(throws: WorkspaceError.self) { try replication.storeSnapshot() }
    #expect(replication.error == nil && replication.status.phase != .unavailable)
  }

  @Test("A5: A workspace that follows nobody commits plain writes that waited for the cluster when it is back")
  func cutOffWithoutFollowing() throws {
    let silent = try replicas.open("silent", faults) { options, _ in options.followsOtherProcesses = false }
    let seen = EventLog<Int>()
    let subscription = other.dictionary.subscribe("waits", of: Int.self) {
      if case .updated(let value) = $0 { seen.append(value) }
    }
    for round in 1...2 {
      faults.isCutOff = true
      silent.dictionary["waits"] = round
      replicas.waitUntilUnavailable(silent)
      // A later write doesn't wait for anything else.
      silent.dictionary["waits too"] = round
      faults.isCutOff = false
      try seen.wait { $0.last == round }
      // The cluster's answer has come, too.
      try silent.dictionary.synchronize()
    }
    try other.replication?.catchUp()
    #expect(other.dictionary["waits too", Int.self] == 2)
    #expect(replicas.errors.events.isEmpty)
    #expect(try replicas.differences() == [])
    withExtendedLifetime(subscription) {}
  }

  @Test("A5: Plain writes that waited for the cluster are committed when it is back, although nobody asks for it")
  func cutOffDuringAWait() throws {
    let seen = EventLog<Int>()
    let subscription = other.dictionary.subscribe("waits", of: Int.self) {
      if case .updated(let value) = $0 { seen.append(value) }
    }
    for round in 1...2 {
      // The outage falls within one wait of the follower, which so notices nothing of it.
      replicas.waitForFollowers(2)
      faults.isCutOff = true
      one.dictionary["waits"] = round
      replicas.waitUntilUnavailable(one)
      faults.isCutOff = false
      try other.transactAndWait { $0.dictionary["k"] = "\(round)" }
      try seen.wait { $0.last == round }
    }
    withExtendedLifetime(subscription) {}
    #expect(replicas.errors.events.isEmpty)
    #expect(try replicas.differences() == [])
  }

  @Test("A7: Plain writes that wait for the cluster at shutdown are reported")
  func shutdownWhileCutOff() throws {
    faults.isCutOff = true
    one.dictionary["lost"] = 1
    replicas.close(one)
    #expect(try replicas.errors.wait(forCount: 1).map(\.code) == [.unavailable])
  }

  @Test("A10: A program that ends between the append and its own COMMIT finds the commit when it opens again")
  func crash() throws {
    // The file as it is when the record is in the log, and the COMMIT has not begun.
    let copy = replicas.path("crashed")
    let one = one
    Failpoint.appendedBeforeCommit.arm(in: one.core) { try? one.backup(to: copy) }
    #expect(write("appended") == nil)
    Failpoint.appendedBeforeCommit.arm(in: one.core, nil)
    let crashed = try replicas.open("crashed")
    #expect(crashed.dictionary["k", String.self] == "appended")
    #expect(crashed.commitNumber == one.commitNumber)
    #expect(try replicas.differences() == [])
  }

  @Test("A1: A COMMIT that fails after the append is made good from the record")
  func failingCommit() throws {
    let failing = try replicas.open("failing") { options, _ in options.vfs = FaultPlan.vfsName }
    let plan = Lock<FaultPlan?>(nil)
    let path = replicas.path("failing")
    Failpoint.appendedBeforeCommit.arm(in: failing.core) {
      plan.withLock { $0 = try? FaultPlan(.write, on: .wal, in: path, fail: .once(1), with: .ioError) }
    }
    try failing.transactAndWait { $0.dictionary["k"] = "after" }
    Failpoint.appendedBeforeCommit.arm(in: failing.core, nil)
    #expect(plan.withLock { $0?.faultCount } == 1)
    #expect(failing.dictionary["k", String.self] == "after")
    #expect(try valueElsewhere() == "after")
    #expect(try failing.transactAndWait { $0.dictionary["k", String.self] } == "after")
    #expect(try replicas.differences() == [])
  }
}

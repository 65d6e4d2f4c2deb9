import DflatKV
import TestSupport
import Testing

@testable import DflatCore

/// Shutdown of a replica in every state of its part in the cluster.
@Suite struct EndingTests {
  private let replicas: Replicas
  private let faults = LogFaults()
  private let one: SQLiteWorkspace
  private let other: SQLiteWorkspace

  init() throws {
    replicas = try Replicas()
    one = try replicas.open("one", faults) { $1.timeout = .milliseconds(100) }
    other = try replicas.open("other")
    try one.transactAndWait { $0.dictionary["k"] = 0 }
    try other.replication?.catchUp()
  }

  @Test("A7: Plain writes whose group loses the turn during shutdown are committed by another group")
  func fencedAtShutdown() throws {
    faults.plan(.turnEnds, .turnEnds)
    one.dictionary["k"] = 1
    replicas.close(one)
    try other.replication?.catchUp()
    #expect(other.dictionary["k", Int.self] == 1)
    #expect(replicas.errors.events.isEmpty)
    #expect(try replicas.differences() == [])
  }

  @Test("A7: Plain writes whose append is refused during shutdown are reported")
  func refusedAtShutdown() throws {
    faults.plan(.refused(.unavailable))
    one.dictionary["k"] = 1
    replicas.close(one)
    #expect(try replicas.errors.wait(forCount: 1).map(\.code) == [.unavailable])
    try other.replication?.catchUp()
    #expect(other.dictionary["k", Int.self] == 0)
    #expect(try replicas.differences() == [])
  }

  @Test("A7: Plain writes are reported if the turn doesn't come during shutdown")
  func turnDoesNotCome() throws {
    let (began, goOn) = (Gate("began"), Gate("goOn"))
    let holder = BackgroundThread("holder") { [other] in
      try other.transactAndWait { txn in
        txn.dictionary["k"] = 2
        began.open()
        try goOn.wait()
      }
    }
    try began.wait()
    one.dictionary["k"] = 1
    replicas.close(one)
    #expect(try replicas.errors.wait(forCount: 1).map(\.code) == [.unavailable])
    goOn.open()
    try holder.join()
    #expect(other.dictionary["k", Int.self] == 2)
    #expect(try replicas.differences() == [])
  }

  @Test("A commit whose record is being appended when shutdown begins is completed first")
  func duringAppend() throws {
    let (reached, goOn) = (Gate("reached"), Gate("goOn"))
    Failpoint.appendedBeforeCommit.arm(in: one.core) {
      reached.open()
      try? goOn.wait()
    }
    let writer = BackgroundThread("writer") { [one] in try one.transactAndWait { $0.dictionary["k"] = 3 } }
    try reached.wait()
    let closed = Gate("closed")
    one.shutdown { closed.open() }
    #expect(!closed.opened)
    goOn.open()
    try writer.join()
    try closed.wait()
    replicas.close(one)
    try other.replication?.catchUp()
    #expect(other.dictionary["k", Int.self] == 3)
    #expect(try replicas.differences() == [])
  }

  @Test("The stream of the status ends with the workspace")
  func statuses() async throws {
    let replication = try #require(one.replication)
    let stream = replication.statuses()
    faults.isCutOff = true
    #expect(throws: WorkspaceError.self) { try one.transactAndWait { $0.dictionary["k"] = 4 } }
    var phases: [ReplicationStatus.Phase] = []
    var iterator = stream.makeAsyncIterator()
    while let status = await iterator.next() {
      phases.append(status.phase)
      if status.phase == .unavailable { break }
    }
    #expect(phases.last == .unavailable)
    replicas.close(one)
    while await iterator.next() != nil {}
  }

  @Test("Reporting the status very often leaves nothing behind whose release fills the stack")
  func manyReports() throws {
    let replica = try #require(one.core.replica)
    for _ in 0..<100_000 { replica.reportStatus() }
    // A change of the phase, whose handler is called.
    faults.isCutOff = true
    #expect(throws: WorkspaceError.self) { try one.transactAndWait { $0.dictionary["k"] = 5 } }
    replicas.close(one)
  }

  @Test("Shutdown right after opening doesn't wait for records", arguments: 0..<30)
  func soon(round: Int) throws {
    replicas.close(try replicas.open("soon"))
  }
}

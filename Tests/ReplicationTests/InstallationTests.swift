import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatCore

/// A machine that was away for so long that it has to begin with a snapshot of another one's file.
@Suite struct InstallationTests {
  private let replicas: Replicas
  private let faults = LogFaults()
  private let one: SQLiteWorkspace
  private let away: SQLiteWorkspace

  init() throws {
    replicas = try Replicas()
    one = try replicas.open("one") { $1.snapshotBytes = 20_000 }
    try one.transactAndWait { $0.dictionary["k"] = "before" }
    away = try replicas.open("away", faults)
    faults.isCutOff = true
    try one.transactAndWait { $0.dictionary["k"] = "after" }
    // The snapshot is made in the background.
    var round = 0
    while replicas.cluster.oldest == 1 {
      round += 1
      for number in 0..<50 {
        try one.transactAndWait {
          $0.dictionary["f\(number)"] = "\(round) " + String(repeating: "v", count: number * 9)
        }
      }
    }
  }

  @Test("A6: A snapshot that is read while the file is replaced shows the old commit")
  func openSnapshot() throws {
    away.fetchWithinASnapshot {
      let old = away.dictionary["k", String.self]
      faults.isCutOff = false
      let joined = BackgroundThread("join") { [away] in try away.replication?.catchUp() }
      #expect(throws: Never.self) { try joined.join() }
      #expect(old == "before")
      #expect(away.dictionary["k", String.self] == "before")
      #expect(away.dictionary["f7", String.self] == nil)
    }
    #expect(away.dictionary["k", String.self] == "after")
    #expect(away.dictionary["f7", String.self]?.hasSuffix("vvv") == true)
    #expect(try replicas.differences() == [])
  }

  @Test("Two workspaces on one file replace it once, and both show the result; writes that waited follow")
  func twoProcesses() throws {
    let second = try replicas.open("away", faults)
    #expect(second.dictionary["k", String.self] == "before")
    away.dictionary["waited"] = 1
    second.dictionary["waited too"] = 2
    faults.isCutOff = false
    let threads = [away, second].map { workspace in
      BackgroundThread("join") {
        try workspace.replication?.catchUp()
        try workspace.dictionary.synchronize()
      }
    }
    for thread in threads { try thread.join() }
    try one.replication?.catchUp()
    for workspace in [one, away, second] {
      try workspace.replication?.catchUp()
      #expect(workspace.dictionary["k", String.self] == "after")
      #expect(workspace.dictionary["waited", Int.self] == 1)
      #expect(workspace.dictionary["waited too", Int.self] == 2)
    }
    #expect(try replicas.differences() == [])
  }

  @Test("A damaged snapshot is refused, and leaves the file as it was", arguments: 0..<12)
  func damaged(round: Int) throws {
    var random = SeededGenerator(seed: UInt64(round))
    replicas.cluster.changeSnapshot { bytes in
      switch round {
      case 0: bytes = []
      case 1: bytes = [UInt8](repeating: 7, count: 8_192)
      case 2: bytes.removeLast(bytes.count / 2)
      case 3: bytes.removeFirst(10)
      // The header, and the pages of the schema.
      default:
        for _ in 0..<20 {
          bytes[Int.random(in: 0..<4_096, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
      }
    }
    faults.isCutOff = false
    do { try away.replication?.catchUp() } catch is WorkspaceError {
      #expect(away.dictionary["k", String.self] == "before")
      #expect(try away.checkIntegrity() == [])
    }
    do { replicas.close(try replicas.open("new")) } catch is WorkspaceError {}
    replicas.close(away)
  }

  @Test("A snapshot replaces no file that has left the cluster")
  func left() throws {
    let path = replicas.path("away")
    let file = SQLiteWorkspace(filePath: path, options: .quiet)
    #expect(try file.leaveCluster() != nil)
    file.shutdown()
    faults.isCutOff = false
    // The follower tries to install the snapshot.
    try replicas.errors.wait { $0.contains { $0.code == .clusterMismatch } }
    let error = #expect(throws: WorkspaceError.self) { try away.replication?.catchUp() }
    #expect(error?.code == .clusterMismatch)
    replicas.close(away)
    let alone = try TestWorkspace.open(path)
    #expect(alone.dictionary["k", String.self] == "before")
    #expect(try alone.clusterMembership() == nil)
    alone.shutdown()
  }

  @Test("A machine begins again with the newer snapshot that replaces the one it reads")
  func replaced() throws {
    faults.planReplacedSnapshots(5)
    faults.isCutOff = false
    try away.replication?.catchUp()
    #expect(away.dictionary["k", String.self] == "after")
    #expect(try replicas.differences() == [])
  }

  @Test("A machine whose snapshots are replaced without end keeps its old state, and tries again")
  func replacedWithoutEnd() throws {
    faults.planReplacedSnapshots(.max)
    faults.isCutOff = false
    let error = #expect(throws: WorkspaceError.self) { try away.replication?.catchUp() }
    #expect(error?.code == .unavailable)
    #expect(away.dictionary["k", String.self] == "before")
    faults.planReplacedSnapshots(0)
    try away.replication?.catchUp()
    #expect(away.dictionary["k", String.self] == "after")
    #expect(try replicas.differences() == [])
  }

  @Test("A1: compareAndSet on two machines succeeds once for each value")
  func comparing() throws {
    faults.isCutOff = false
    let threads = [one, away].map { workspace in
      BackgroundThread("comparing") {
        try (0..<30).count { try workspace.dictionary.compareAndSet("c", expected: $0 == 0 ? nil : $0, new: $0 + 1) }
      }
    }
    let won = try threads.map { try $0.join() }
    try away.replication?.catchUp()
    #expect(away.dictionary["c", Int.self] == won.reduce(0, +))
    #expect(try replicas.differences() == [])
  }
}

import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatCore

/// Operators' work on a replica, and its effects on programs that have the file open.
@Suite struct OperationsTests {
  private let replicas: Replicas
  private let one: SQLiteWorkspace
  private let other: SQLiteWorkspace

  init() throws {
    replicas = try Replicas()
    one = try replicas.open("one")
    other = try replicas.open("other")
    try one.transactAndWait { $0.dictionary["k"] = 0 }
    try other.replication?.catchUp()
  }

  private func code(_ body: () throws -> Void) -> WorkspaceError.Code? {
    do { try body() } catch { return (error as? WorkspaceError)?.code }
    return nil
  }

  // MARK: Membership

  @Test("A file that leaves its cluster keeps its contents, and is then like any other")
  func leaving() throws {
    let path = replicas.path("one")
    replicas.close(one)
    let file = SQLiteWorkspace(filePath: path, options: .quiet)
    #expect(try file.leaveCluster()?.engine == "memory")
    #expect(try file.leaveCluster() == nil)
    file.shutdown()
    let alone = try TestWorkspace.open(path)
    #expect(alone.dictionary["k", Int.self] == 0)
    try alone.transactAndWait { $0.dictionary["k"] = 1 }
    #expect(try alone.fileStatistics().formatVersion == 1)
    #expect(try alone.clusterMembership() == nil)
    #expect(try alone.checkIntegrity() == [])
    alone.shutdown()
    // It has commits that its cluster doesn't have, so it can't come back.
    #expect(code { try replicas.open("one") } == .clusterMismatch)
    #expect(other.dictionary["k", Int.self] == 0)
  }

  @Test("A program that has the file open as a replica commits nothing after the file has left its cluster")
  func leavingWhileOpen() throws {
    let head = replicas.cluster.head
    let file = SQLiteWorkspace(filePath: replicas.path("one"), options: .quiet)
    #expect(try file.leaveCluster() != nil)
    file.shutdown()
    #expect(code { try one.transactAndWait { $0.dictionary["k"] = 1 } } == .clusterMismatch)
    #expect(replicas.cluster.head == head)
    #expect(one.dictionary["k", Int.self] == 0)
    // Nor does it store snapshots of it.
    #expect(code { try one.replication?.storeSnapshot() } == .clusterMismatch)
    #expect(replicas.cluster.snapshotNumber == nil)
    // Nor does it apply other machines' commits.
    try other.transactAndWait { $0.dictionary["k"] = 2 }
    #expect(code { try one.replication?.catchUp() } == .clusterMismatch)
    #expect(one.dictionary["k", Int.self] == 0)
  }

  @Test("A program that has the file open as a replica commits nothing after the file has begun another cluster")
  func movingWhileOpen() throws {
    let head = replicas.cluster.head
    let file = SQLiteWorkspace(filePath: replicas.path("one"), options: .quiet)
    #expect(try file.leaveCluster() != nil)
    file.shutdown()
    let cluster = MemoryCluster()
    let moved = try replicas.open("one", in: cluster) { $1.seedsCluster = true }
    #expect(code { try one.transactAndWait { $0.dictionary["k"] = 1 } } == .clusterMismatch)
    #expect(code { try one.replication?.storeSnapshot() } == .clusterMismatch)
    #expect(replicas.cluster.head == head && replicas.cluster.snapshotNumber == nil)
    try other.transactAndWait { $0.dictionary["k"] = 2 }
    #expect(code { try one.replication?.catchUp() } == .clusterMismatch)
    #expect(moved.commitNumber == cluster.head && moved.dictionary["k", Int.self] == 0)
    try moved.transactAndWait { $0.dictionary["k"] = 3 }
    replicas.close(moved)
  }

  @Test("A program that has the file open without replication commits nothing after the file began a cluster")
  func seedingWhileOpen() throws {
    let path = replicas.path("alone")
    let alone = try TestWorkspace.open(path)
    try alone.transactAndWait { $0.dictionary["k"] = 1 }
    let cluster = MemoryCluster()
    let seed = try replicas.open("alone", in: cluster) { $1.seedsCluster = true }
    #expect(code { try alone.transactAndWait { $0.dictionary["k"] = 2 } } == .clusterMismatch)
    alone.dictionary["k"] = 3
    #expect(code { try alone.dictionary.synchronize() } == .clusterMismatch)
    #expect(seed.dictionary["k", Int.self] == 1)
    #expect(seed.commitNumber == cluster.head)
    try seed.transactAndWait { $0.dictionary["k"] = 4 }
    alone.shutdown()
    replicas.close(seed)
  }

  @Test("A file that only joins begins no cluster")
  func joiningNothing() throws {
    let empty = MemoryCluster()
    #expect(code { try replicas.open("new", in: empty) { $1.createsCluster = false } } == .clusterMismatch)
    #expect(empty.identity == nil)
  }

  @Test("The file remembers where its cluster is")
  func address() throws {
    let membership = try #require(try one.clusterMembership())
    #expect(membership.address == "this process")
    #expect(membership.cluster == one.replication?.cluster)
  }

  @Test("A file that begins with another machine's snapshot remembers how its own program reaches the cluster")
  func addressAfterSnapshot() throws {
    try one.replication?.storeSnapshot()
    try one.transactAndWait { $0.dictionary["k"] = 1 }
    try one.replication?.storeSnapshot()
    let new = try replicas.open("new") { $1 = replicas.cluster.replication(address: "another address") }
    #expect(new.dictionary["k", Int.self] == 1)
    #expect(try new.clusterMembership()?.address == "another address")
    #expect(try replicas.differences() == [])
  }

  // MARK: Snapshots

  @Test("A snapshot is stored on demand, and new machines begin with it")
  func snapshot() throws {
    try other.replication?.storeSnapshot()
    #expect(replicas.cluster.snapshotNumber == replicas.cluster.head)
    try one.transactAndWait { $0.dictionary["k"] = 1 }
    try other.replication?.storeSnapshot()
    #expect(replicas.cluster.snapshotNumber == replicas.cluster.head)
    // The records that the first one covers are gone.
    #expect(replicas.cluster.oldest == replicas.cluster.head)
    #expect(try replicas.differences() == [])
  }

  @Test("Of several machines for which a snapshot is due, one makes it")
  func oneSnapshotter() throws {
    let uploads = EventLog<String>()
    let goOn = Gate("goOn")
    let machines = try ["first", "second", "third"].map { name in
      let faults = LogFaults()
      faults.onUpload {
        uploads.append(name)
        try? goOn.wait()
      }
      return try replicas.open(name, faults) { $1.snapshotBytes = 1 }
    }
    var number = 0
    // The records are larger than the file sooner or later. Each machine then makes a snapshot, or is refused.
    while uploads.events.isEmpty || replicas.cluster.refusedSnapshotters < machines.count - 1 {
      number += 1
      try machines[number % machines.count].transactAndWait {
        $0.dictionary["large"] = String(repeating: "v", count: 5_000) + "\(number)"
      }
    }
    #expect(uploads.events.count == 1)
    goOn.open()
    for machine in machines { replicas.close(machine) }
    #expect(replicas.cluster.snapshotNumber != nil)
    #expect(try replicas.differences() == [])
  }

  /// Commits large records.
  private func writeLarge(_ count: Int, by workspace: SQLiteWorkspace) throws {
    for number in 0..<count {
      try workspace.transactAndWait {
        $0.dictionary["large"] = String(repeating: "v", count: 5_000) + "\(number)"
      }
    }
  }

  /// Opens a replica for which a snapshot is due when the records are larger than its file.
  private func openSnapshotter(_ name: String, _ uploads: EventLog<Void>) throws -> SQLiteWorkspace {
    let faults = LogFaults()
    faults.onUpload { uploads.append(()) }
    return try replicas.open(name, faults) { $1.snapshotBytes = 1 }
  }

  @Test("Programs that run only for a moment store the snapshots that are due", arguments: [true, false])
  func briefPrograms(isFollowing: Bool) throws {
    for number in 0..<100 {
      let brief = try replicas.open("brief") { options, replication in
        options.followsOtherProcesses = isFollowing
        replication.snapshotBytes = 1
      }
      try brief.transactAndWait { $0.dictionary["large"] = String(repeating: "v", count: 5_000) + "\(number)" }
      replicas.close(brief)
    }
    #expect(replicas.cluster.snapshotNumber != nil)
    #expect(try replicas.differences() == [])
  }

  @Test("A program counts the records that were in the log before it began")
  func recordsFromBefore() throws {
    try writeLarge(100, by: one)
    let path = replicas.path("other")
    try other.replication?.catchUp()
    replicas.close(other)
    let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < 400_000)
    let uploads = EventLog<Void>()
    let later = try openSnapshotter("other", uploads)
    try later.transactAndWait { $0.dictionary["k"] = 1 }
    try uploads.wait(forCount: 1)
    replicas.close(later)
    #expect(replicas.cluster.snapshotNumber ?? 0 >= 101)
    #expect(try replicas.differences() == [])
  }

  @Test("A snapshot is due when the records since the last one are large, however many small ones that one covers")
  func fewLargeRecords() throws {
    let uploads = EventLog<Void>()
    let machine = try openSnapshotter("machine", uploads)
    for number in 0..<300 { try machine.transactAndWait { $0.dictionary["small"] = number } }
    try machine.replication?.storeSnapshot()
    let before = uploads.events.count
    try writeLarge(100, by: machine)
    try uploads.wait { $0.count > before }
    replicas.close(machine)
    #expect(try replicas.differences() == [])
  }

  // MARK: Comparing

  @Test("Equal replicas have no differences, and a changed, a missing and an added row are found")
  func comparing() throws {
    for number in 0..<100 { try one.transactAndWait { $0.dictionary["k\(number)"] = number } }
    let (mine, theirs) = (try #require(one.replication), try #require(other.replication))
    let same = try mine.differences(from: theirs)
    #expect(same.lines == [])
    #expect(same.commitNumber == replicas.cluster.head)
    let path = replicas.path("one")
    for (change, undo) in [
      ("UPDATE dictionary SET value = 7 WHERE key = 'k50'", "UPDATE dictionary SET value = 50 WHERE key = 'k50'"),
      ("DELETE FROM dictionary WHERE key = 'k99'", ""),
      ("INSERT INTO dictionary (namespace, key, type, value, commit_number) VALUES ('', 'zzz', 1, 5, 1)", ""),
    ] {
      try RawDatabase.execute(change, on: path)
      let lines = try mine.differences(from: theirs).lines
      #expect(lines.count == 1 && lines[0].hasPrefix("'dictionary' differs from row"), "\(lines)")
      if !undo.isEmpty {
        try RawDatabase.execute(undo, on: path)
        #expect(try mine.differences(from: theirs).lines == [])
      }
    }
  }

  // MARK: Phases

  @Test("The log says when the cluster is lost and found")
  func log() throws {
    let faults = LogFaults()
    let lines = EventLog<LogEntry>()
    let logged = try replicas.open("logged", faults) { options, _ in
      options.logger = CapturingLogHandler.logger(lines)
    }
    try logged.replication?.catchUp()
    faults.isCutOff = true
    #expect(code { try logged.transactAndWait { $0.dictionary["k"] = 1 } } == .unavailable)
    try lines.wait { $0.contains { $0.text.contains("can't be reached; reads go on") } }
    faults.isCutOff = false
    try logged.replication?.catchUp()
    try lines.wait { $0.last { $0.text.contains("cluster") }?.text.contains("follows its cluster") == true }
  }
}

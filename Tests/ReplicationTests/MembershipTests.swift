import DflatCore
import DflatKV
import TestSupport
import Testing

/// Files that join a cluster, begin one, and are refused by one.
@Suite struct MembershipTests {
  private let replicas: Replicas

  init() throws { replicas = try Replicas() }

  private func code(_ body: () throws -> Void) -> WorkspaceError.Code? {
    do { try body() } catch { return (error as? WorkspaceError)?.code }
    return nil
  }

  private func fill(_ workspace: SQLiteWorkspace, _ count: Int) throws {
    for number in 0..<count {
      try workspace.transactAndWait { $0.dictionary["k\(number % 50)"] = String(repeating: "v", count: number % 400) }
    }
  }

  @Test("A file with commits seeds a cluster only if it may, and then is what others begin with")
  func seeding() throws {
    let path = replicas.path("one")
    let alone = try TestWorkspace.open(path)
    try fill(alone, 100)
    alone.shutdown()
    #expect(code { try replicas.open("one") } == .clusterMismatch)
    let one = try replicas.open("one") { $1.seedsCluster = true }
    let other = try replicas.open("other")
    #expect(other.dictionary.count == 50)
    #expect(other.commitNumber == one.commitNumber)
    try other.transactAndWait { $0.dictionary["more"] = 1 }
    #expect(try replicas.differences() == [])
  }

  @Test("A member is refused by another cluster, and without replication it is only read")
  func refusals() throws {
    let one = try replicas.open("one")
    try fill(one, 3)
    replicas.close(one)
    // Another cluster, one without a log, and no replication.
    let foreign = MemoryCluster()
    let stranger = try replicas.open("stranger", in: foreign)
    try fill(stranger, 3)
    #expect(code { try replicas.open("one", in: foreign) } == .clusterMismatch)
    #expect(code { try replicas.open("one", in: MemoryCluster()) } == .clusterMismatch)
    #expect(code { _ = try TestWorkspace.open(replicas.path("one")) } == .clusterMismatch)
    let reader = try TestWorkspace.open(replicas.path("one")) { $0.isReadOnly = true }
    #expect(reader.dictionary.count == 3)
    #expect(try reader.checkIntegrity() == [])
    #expect(try reader.fileStatistics().formatVersion == 2)
    reader.shutdown()
    // Nothing has changed: the replica goes on.
    #expect(try replicas.open("one").dictionary.count == 3)
    replicas.close(stranger)
  }

  @Test("A file with commits that a restored cluster has lost is refused, also once the cluster has as many again")
  func restoredCluster() throws {
    let one = try replicas.open("one")
    try fill(one, 2)
    let late = try replicas.open("late")
    replicas.close(late)
    for number in 3...4 { try one.transactAndWait { $0.dictionary["lost"] = number } }
    replicas.close(one)
    replicas.cluster.restore(2)
    #expect(code { try replicas.open("one") } == .clusterMismatch)
    let again = try replicas.open("late")
    for number in 3...5 { try again.transactAndWait { $0.dictionary["kept"] = number } }
    #expect(code { try replicas.open("one") } == .clusterMismatch)
    #expect(try replicas.differences() == [])
  }

  /// Opens a replica with two commits, and lets it commit two more, which the cluster then loses.
  private func openWithLostCommits(
    _ faults: LogFaults = LogFaults(),
    _ configure: (inout SQLiteWorkspace.Options, inout SQLiteWorkspace.Replication) -> Void = { _, _ in }
  ) throws -> SQLiteWorkspace {
    let one = try replicas.open("one", faults, configure)
    try fill(one, 2)
    replicas.close(try replicas.open("late"))
    for number in 3...4 { try one.transactAndWait { $0.dictionary["lost"] = number } }
    return one
  }

  /// Commits on another machine, which had none of the lost commits, until the cluster has `head` commits.
  private func goOn(until head: UInt64) throws {
    let late = try replicas.open("late")
    while replicas.cluster.head < head {
      try late.transactAndWait { txn in
        let kept = txn.dictionary["kept", default: 2] + 1
        txn.dictionary["kept"] = kept
      }
    }
  }

  @Test("A running program stops following a cluster that has lost its commits")
  func restoredWhileRunning() throws {
    let one = try openWithLostCommits()
    replicas.waitForFollowers(1)
    replicas.cluster.restore(2)
    try replicas.errors.wait { $0.contains { $0.code == .clusterMismatch } }
    #expect(one.replication?.status.phase == .stopped && one.replication?.error?.code == .clusterMismatch)
    #expect(code { try one.transactAndWait { $0.dictionary["k"] = "more" } } == .clusterMismatch)
    #expect(code { try one.replication?.catchUp() } == .clusterMismatch)
    // Reads go on.
    #expect(one.dictionary["lost", Int.self] == 4)
    replicas.close(one)
    try goOn(until: 3)
    #expect(try replicas.differences() == [])
  }

  @Test("A running program takes nothing that a cluster commits after it has lost the program's commits")
  func restoredWhileAway() throws {
    let faults = LogFaults()
    let one = try openWithLostCommits(faults)
    faults.isCutOff = true
    replicas.cluster.restore(2)
    try goOn(until: 5)
    faults.isCutOff = false
    #expect(code { try one.replication?.catchUp() } == .clusterMismatch)
    try replicas.errors.wait { $0.contains { $0.code == .clusterMismatch } }
    #expect(one.commitNumber == 4 && one.dictionary["kept", Int.self] == nil)
    replicas.close(one)
    #expect(try replicas.differences() == [])
  }

  @Test(
    "A program that follows nobody appends nothing to a cluster that has other commits of the same numbers",
    arguments: [true, false])
  func restoredUnderAWriter(isCutOff: Bool) throws {
    let faults = LogFaults()
    let one = try openWithLostCommits(faults) { options, _ in options.followsOtherProcesses = false }
    if isCutOff {
      faults.isCutOff = true
      #expect(code { try one.transactAndWait { $0.dictionary["k"] = "more" } } == .unavailable)
    }
    replicas.cluster.restore(2)
    try goOn(until: 4)
    faults.isCutOff = false
    // Otherwise the program still takes itself for the turn's holder.
    #expect(code { try one.transactAndWait { $0.dictionary["k"] = "more" } } == .clusterMismatch)
    #expect(replicas.cluster.head == 4 && one.commitNumber == 4)
    replicas.close(one)
    #expect(try replicas.differences() == [])
  }

  @Test("A snapshot replaces no file with commits that a restored cluster has lost")
  func restoredAndTrimmed() throws {
    let one = try openWithLostCommits()
    replicas.close(one)
    replicas.cluster.restore(2)
    let late = try replicas.open("late")
    for number in 3...8 {
      try late.transactAndWait { $0.dictionary["kept"] = number }
      if number >= 7 { try late.replication?.storeSnapshot() }
    }
    // The log no longer has a record that would show it.
    #expect(replicas.cluster.oldest > 4)
    #expect(code { try replicas.open("one") } == .clusterMismatch)
    let reader = try TestWorkspace.open(replicas.path("one")) { $0.isReadOnly = true }
    #expect(reader.dictionary["lost", Int.self] == 4)
    reader.shutdown()
    #expect(try replicas.differences() == [])
  }

  @Test("A program that follows nobody stores no snapshot of commits that its cluster has lost")
  func restoredBeforeSnapshot() throws {
    let one = try replicas.open("one") { options, replication in
      options.followsOtherProcesses = false
      replication.snapshotBytes = 1
    }
    // The records are larger than the file, so that closing it makes a snapshot.
    for number in 0..<100 {
      try one.transactAndWait { $0.dictionary["large"] = String(repeating: "v", count: 5_000) + "\(number)" }
    }
    #expect(replicas.cluster.snapshotNumber == nil)
    replicas.cluster.restore(replicas.cluster.head - 1)
    replicas.close(one)
    #expect(replicas.cluster.snapshotNumber == nil)
    let new = try replicas.open("new")
    #expect(new.commitNumber == replicas.cluster.head)
    #expect(try replicas.differences() == [])
  }

  @Test("A machine whose commits are all in the restored state goes on with it")
  func restoredElsewhere() throws {
    let one = try replicas.open("one")
    try fill(one, 2)
    replicas.cluster.restore(2)
    try one.transactAndWait { $0.dictionary["kept"] = 3 }
    #expect(one.commitNumber == 3)
    #expect(replicas.errors.events.isEmpty)
    #expect(try replicas.differences() == [])
  }

  @Test("A file that doesn't belong to the cluster, and has commits, is refused")
  func ownCommits() throws {
    try fill(try replicas.open("one"), 3)
    let alone = try TestWorkspace.open(replicas.path("other"))
    try fill(alone, 2)
    alone.shutdown()
    #expect(code { try replicas.open("other") { $1.seedsCluster = true } } == .clusterMismatch)
    let unchanged = try TestWorkspace.open(replicas.path("other"))
    #expect(unchanged.dictionary.count == 2)
    unchanged.shutdown()
  }

  @Test("A file with commits is refused by a cluster that happens to have as many")
  func sameNumber() throws {
    try fill(try replicas.open("one"), 2)
    let alone = try TestWorkspace.open(replicas.path("other"))
    try fill(alone, 2)
    alone.shutdown()
    #expect(code { try replicas.open("other") { $1.seedsCluster = true } } == .clusterMismatch)
    #expect(code { try replicas.open("other") } == .clusterMismatch)
  }

  @Test(
    "A seed whose program ends before it learns that the cluster is there goes on with it", arguments: [true, false])
  func interruptedSeed(arrives: Bool) throws {
    let alone = try TestWorkspace.open(replicas.path("one"))
    try fill(alone, 2)
    alone.shutdown()
    let faults = LogFaults()
    faults.onCreation { if $0 == (arrives ? .arrived : .sent) { faults.isCutOff = true } }
    #expect(code { try replicas.open("one", faults) { $1.seedsCluster = true } } == .unavailable)
    #expect((replicas.cluster.identity != nil) == arrives)
    // Nobody writes to it alone meanwhile.
    #expect(code { _ = try TestWorkspace.open(replicas.path("one")) } == .clusterMismatch)
    let one = try replicas.open("one") { $1.seedsCluster = true }
    #expect(one.replication?.cluster == replicas.cluster.identity)
    #expect(one.dictionary.count == 2)
    try one.transactAndWait { $0.dictionary["k"] = "more" }
    #expect(try replicas.differences() == [])
  }

  @Test("A new file whose request to begin the cluster was lost begins it later, or joins", arguments: [true, false])
  func interruptedBeginning(isFaster: Bool) throws {
    let faults = LogFaults()
    faults.onCreation { if $0 == .sent { faults.isCutOff = true } }
    #expect(code { try replicas.open("one", faults) } == .unavailable)
    #expect(replicas.cluster.identity == nil)
    if isFaster { try fill(try replicas.open("other"), 2) }
    let one = try replicas.open("one")
    #expect(one.dictionary.count == (isFaster ? 2 : 0))
    #expect(one.replication?.cluster == replicas.cluster.identity)
    try one.transactAndWait { $0.dictionary["k"] = "more" }
    #expect(try replicas.differences() == [])
  }

  @Test("Of two files that want to begin a cluster, the slower one stays as it was")
  func twoSeeds() throws {
    for name in ["one", "other"] {
      let alone = try TestWorkspace.open(replicas.path(name))
      try fill(alone, 2)
      alone.shutdown()
    }
    let cluster = replicas.cluster
    let faults = LogFaults()
    let path = replicas.path("other")
    let winner = Lock<SQLiteWorkspace?>(nil)
    faults.onCreation { moment in
      guard moment == .sent else { return }
      var replication = cluster.replication()
      replication.seedsCluster = true
      winner.withLock { $0 = try? SQLiteWorkspace.open(filePath: path, replication: replication) }
    }
    #expect(code { try replicas.open("one", faults) { $1.seedsCluster = true } } == .clusterMismatch)
    #expect(cluster.identity != nil && winner.withLock(\.self)?.replication?.cluster == cluster.identity)
    winner.withLock(\.self)?.shutdown()
    let alone = try TestWorkspace.open(replicas.path("one"))
    #expect(alone.dictionary.count == 2)
    #expect(try alone.fileStatistics().formatVersion == 1)
    alone.shutdown()
  }

  @Test("A new file needs its cluster; a member opens without it")
  func openingWithoutACluster() throws {
    let faults = LogFaults()
    faults.isCutOff = true
    #expect(code { try replicas.open("one", faults) } == .unavailable)
    try fill(try replicas.open("two"), 2)
    let member = try replicas.open("three")
    replicas.close(member)
    let again = try replicas.open("three", faults)
    #expect(again.dictionary.count == 2)
    #expect(again.replication?.status.phase == .unavailable)
  }
}

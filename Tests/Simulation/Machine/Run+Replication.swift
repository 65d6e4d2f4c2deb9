import DflatCore
import DflatKV
import MemoryReplication
import SimulatedRuntime

/// The end of a schedule of replicas: all machines have the same, and it is what the log has.
extension Run {
  /// Ends the network's faults, commits the plain writes that wait, and lets every replica catch up.
  func settleReplicas() {
    calm()
    // Requests that are late arrive meanwhile.
    simulation.sleep(nanoseconds: 1_000_000_000)
    for replica in replicas { checkWaitingWrites(of: replica) }
    for replica in replicas { eventually("synchronize") { try replica.dictionary.synchronize() } }
    for replica in replicas { eventually("catchUp") { try replica.replication?.catchUp() } }
    for replica in replicas {
      check(
        replica.commitNumber == cluster.head,
        "A9: '\(replica.filePath)' has commit \(replica.commitNumber) after catchUp(), but the log has \(cluster.head)."
      )
      let phase = replica.replication?.status.phase
      check(phase == .connected, "The phase of '\(replica.filePath)' is \(phase?.rawValue ?? "none").")
    }
    // The observers receive what was caught up.
    simulation.sleep(nanoseconds: 1_000_000_000)
    for _ in 0..<10_000 where !simulation.isQuiet { simulation.sleep(nanoseconds: 1_000_000) }
  }

  /// Checks that plain writes that have waited for the cluster don't wait for anything else.
  private func checkWaitingWrites(of replica: SQLiteWorkspace) {
    for _ in 0..<120 where replica.core.publication.hasPendingWrites { simulation.sleep(nanoseconds: 500_000_000) }
    check(
      !replica.core.publication.hasPendingWrites,
      "A5: Plain writes of '\(replica.filePath)' still wait a minute after the cluster is back.")
  }

  /// Calls that fail while the cluster is out of reach succeed once it is back.
  private func eventually(_ what: String, _ body: () throws -> Void) {
    for _ in 0..<20 {
      do { return try body() } catch {
        let code = (error as? WorkspaceError)?.code
        // An earlier commit of plain writes may have had an unknown outcome.
        let isExplained = code == .unavailable || code == .busy || code == .outcomeUnknown && what == "synchronize"
        check(isExplained, "\(what) failed without a fault: \(error)")
        simulation.sleep(nanoseconds: 500_000_000)
      }
    }
    check(false, "\(what) still fails when the cluster is back.")
  }

  /// Checks that all files, and that of a machine that joins now, have the same rows, and those of the model.
  func checkReplicas() {
    for path in replicaPaths + [newPath] {
      let replica = openReplica(path, LogFaults(), vfs: nil)
      eventually("catchUp") { try replica.replication?.catchUp() }
      if path == newPath { checkFile(replica) } else { replica.shutdown() }
    }
    guard let first = replicaPaths.first.flatMap({ try? FileContents($0) }) else {
      return check(false, "A replica's file can't be read.")
    }
    for path in replicaPaths.dropFirst() + [newPath] {
      let differences = (try? FileContents(path))?.differences(from: first)
      check(differences == [], "'\(path)' differs from another replica in \(differences ?? ["everything"]).")
    }
  }
}

package import DflatCore

/// A cluster in memory, for tests: the commit log that several replicas in this process share.
///
///     let cluster = MemoryCluster()
///     let a = try SQLiteWorkspace.open(filePath: pathA, replication: cluster.replication())
///     let b = try SQLiteWorkspace.open(filePath: pathB, replication: cluster.replication())
package final class MemoryCluster: Sendable {
  struct State {
    var identity: String?
    var head: UInt64 = 0
    var records: [UInt64: CommitRecord] = [:]
    var oldest: UInt64 = 1
    /// The number of the newest turn, and the log that has it.
    var turn: Int64 = 0
    var holder: SerialNumber?
    /// The logs that wait for the turn, in order.
    var queue: [(log: SerialNumber, turn: Promise<Turn?>)] = []
    /// The calls that wait for records.
    var readers: [(log: SerialNumber, wake: Promise<Void>)] = []
    var turnWanted: [SerialNumber: @Sendable () -> Void] = [:]
    var snapshot: (description: LogSnapshot, bytes: [UInt8])?
    /// The log that makes a snapshot, and the number of those that wanted to meanwhile.
    var snapshotter: SerialNumber?
    var refusedSnapshotters = 0
  }

  let state = Lock(State())

  package init() {}

  /// The engine of a replica. Each workspace gets a log of its own.
  ///
  /// - Parameters:
  ///   - faults: Decides what goes wrong.
  ///   - address: What the file remembers.
  package func replication(
    _ faults: LogFaults = LogFaults(), address: String = "this process"
  ) -> SQLiteWorkspace.Replication {
    SQLiteWorkspace.Replication { [self] in MemoryCommitLog(on: self, address: address, faults: faults) }
  }

  // MARK: For tests

  /// The number of the newest record.
  package var head: UInt64 { state.withLock { $0.head } }

  /// Replaces a record, as a foreign program would.
  package func replaceRecord(_ number: UInt64, _ bytes: [UInt8]) {
    state.withLock { $0.records[number]?.bytes = bytes }
  }

  /// Restores the state after an earlier record, as an older copy of the engine's data does. The turn is lost, and
  /// connections are interrupted.
  package func restore(_ number: UInt64) {
    let (next, readers) = state.withLock { state -> ((() -> Void)?, [Promise<Void>]) in
      state.records = state.records.filter { $0.key <= number }
      state.head = number
      state.holder = nil
      return (state.passTurn(), state.takeReaders())
    }
    next?()
    for reader in readers { reader.fulfill(()) }
  }

  /// Changes the bytes of the newest snapshot, as damage of the store does.
  package func changeSnapshot(_ change: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard var snapshot = state.snapshot else { return }
      change(&snapshot.bytes)
      snapshot.description.size = UInt64(snapshot.bytes.count)
      state.snapshot = snapshot
    }
  }

  /// The number of calls that wait for records.
  package var readers: Int { state.withLock { $0.readers.count } }

  /// The identity of the cluster; nil before a file has begun it.
  package var identity: String? { state.withLock { $0.identity } }

  /// How often a log was refused to make a snapshot, because another one was making one.
  package var refusedSnapshotters: Int { state.withLock { $0.refusedSnapshotters } }

  /// The commit of the newest snapshot; nil if there is none.
  package var snapshotNumber: UInt64? { state.withLock { $0.snapshot?.description.commitNumber } }

  /// The number of the oldest record.
  package var oldest: UInt64 { state.withLock { $0.oldest } }

  package func record(_ number: UInt64) -> CommitRecord? { state.withLock { $0.records[number] } }

  /// Takes the turn from its holder, as the end of a lease does.
  package func expireTurn() {
    let next = state.withLock { state -> (() -> Void)? in
      state.holder = nil
      return state.passTurn()
    }
    next?()
  }
}

extension MemoryCluster.State {
  /// Gives the free turn to the first log that waits for it. The caller runs the result after it has released the lock.
  mutating func passTurn() -> (() -> Void)? {
    guard holder == nil, !queue.isEmpty else { return nil }
    let first = queue.removeFirst()
    turn += 1
    holder = first.log
    let taken = Turn(id: turn, head: head)
    // The others wait for the new holder.
    let wanted = queue.isEmpty ? nil : turnWanted[first.log]
    return {
      first.turn.fulfill(taken)
      wanted?()
    }
  }

  /// Wakes the calls that wait for records.
  mutating func takeReaders() -> [Promise<Void>] {
    defer { readers = [] }
    return readers.map(\.wake)
  }
}

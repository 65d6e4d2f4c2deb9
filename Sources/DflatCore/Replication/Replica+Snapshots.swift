import DflatSQLite
import DflatSupport

/// Snapshots: copies of the file in the cluster, by which new machines begin, and without which the log would grow for
/// ever.
extension Replica {
  /// The size of the parts in which a snapshot is read and written.
  private static let chunkSize = 1 << 20
  /// The number of snapshots that may replace each other while this machine reads them.
  private static let maximumDownloads = 10
  /// The bytes of records by which the size of all since the newest snapshot is judged.
  private static let sampleBytes = 1 << 20

  // MARK: Beginning with one

  /// Writes the newest snapshot to a new file. If a newer one replaces it meanwhile, begins again with that.
  func downloadSnapshot(to path: String) throws -> LogSnapshot {
    try reaching {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw FileFailure(path: path) }
      defer { close(descriptor) }
      for _ in 0..<Self.maximumDownloads {
        guard let snapshot = try log.newestSnapshot(within: timeoutOfCalls) else {
          throw CommitLogError(.unavailable, "the machine that began the cluster has not stored a snapshot yet")
        }
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileFailure(path: path) }
        do {
          try log.readSnapshot(snapshot) { chunk in
            var rest = chunk[...]
            while !rest.isEmpty {
              let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
              guard count > 0 else { throw FileFailure(path: path) }
              rest = rest.dropFirst(count)
            }
          }
          return snapshot
        } catch let error as CommitLogError where error.code == .trimmed { continue }
      }
      throw CommitLogError(.unavailable, "its snapshots are replaced faster than this machine reads them")
    }
  }

  /// Throws unless a file is the snapshot that it should be.
  func require(_ snapshot: LogSnapshot, in source: Connection) throws {
    guard try FileFormat.inspect(source, path: source.path) == .ours else { throw foreign("its snapshot is empty") }
    try source.checkAllTables()
    guard let membership = try ClusterTable.membership(on: source),
      membership.cluster.hasSameBytes(as: try cluster)
    else { throw foreign("its snapshot is another cluster's") }
    let number = try ChangeLog.commitNumber(on: source)
    guard number == snapshot.commitNumber else {
      throw foreign("its snapshot \(snapshot.commitNumber) has commit \(number)")
    }
  }

  // MARK: Making one

  /// Begins to count the records since the newest snapshot, unless they are counted already: other processes may have
  /// appended many of them, and none may live as long as it takes to see enough.
  private func beginCounting() {
    if scheduleSnapshots({ schedule, _ in schedule.start != nil }) { return }
    do {
      let status = try status(within: timeoutOfCalls)
      let newest = try reaching { try log.newestSnapshot(within: timeoutOfCalls) }
      let start = max(newest?.commitNumber ?? 0, max(status.oldest, 1) - 1)
      let records = try reaching {
        try untrimmedRecords(after: start, maximumBytes: Self.sampleBytes, waiting: .zero) { nil }
      }
      let sample = (records ?? []).filter { $0.number > start }
      scheduleSnapshots { $0.begin(after: start, head: $1, sample: sample) }
    } catch let error as WorkspaceError where error.code == .unavailable {
      // The next records say that the cluster is back.
    } catch {
      // A damaged snapshot harms nobody who doesn't need it.
      scheduleSnapshots { $0.begin(after: $1, head: $1, sample: []) }
    }
  }

  /// Runs `make`, which stores a snapshot, if one is due, and no other process of the cluster is making one, or has made one
  /// that this process didn't know of. Call this after `beginsSnapshot`.
  func makeDueSnapshot(ofFileWith size: Int, _ make: () throws -> Void) throws {
    defer { scheduleSnapshots { $0.end(at: $1) } }
    beginCounting()
    guard scheduleSnapshots({ $0.isDue(at: $1, limit: limit(ofFileWith: size)) }) else { return }
    _ = try reaching(for: .storingSnapshot) {
      try log.claimingSnapshot(within: timeoutOfCalls) { if try !hasNewerSnapshot() { try make() } }
    }
  }

  /// Returns true if the cluster has a newer snapshot than this process knew of.
  private func hasNewerSnapshot() throws -> Bool {
    guard let newest = try log.newestSnapshot(within: timeoutOfCalls)?.commitNumber else { return false }
    return scheduleSnapshots { schedule, head in
      let isNewer = schedule.start.map { newest > $0 } ?? false
      schedule.note(snapshot: newest, head: head)
      return isNewer
    }
  }

  /// Runs `make` if the log doesn't begin with the first commit, and there is no snapshot: the file that seeds a cluster is
  /// its first snapshot.
  func requireSnapshot(orMake make: () throws -> Void) throws {
    guard try status(within: timeoutOfCalls).oldest > 1 else { return }
    if try reaching({ try log.newestSnapshot(within: timeoutOfCalls) }) == nil { try make() }
  }

  /// Stores the file at `path`, a copy at a commit, and then drops the records that the previous snapshot covers: those
  /// after it stay for machines that are a little behind.
  func upload(_ path: String, at commitNumber: UInt64) throws {
    // A machine that began with a commit that the cluster has lost couldn't follow it.
    try require(commitNumber, upTo: try status(within: timeoutOfCalls).head)
    try reaching(for: .storingSnapshot) {
      let previous = try log.newestSnapshot(within: timeoutOfCalls)
      if let previous, previous.commitNumber >= commitNumber { return }
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileFailure(path: path) }
      defer { close(descriptor) }
      try log.writeSnapshot(of: commitNumber) {
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw FileFailure(path: path) }
        chunk.removeSubrange(count...)
        return chunk.isEmpty ? nil : chunk
      }
      scheduleSnapshots { $0.note(snapshot: commitNumber, head: $1) }
      if let previous { try log.trim(through: previous.commitNumber) }
    }
  }
}

/// A failure to read or write a snapshot's file.
private struct FileFailure: Error, CustomStringConvertible {
  let description: String

  init(path: String) { description = "'\(path)': " + String(cString: strerror(errno)) }
}

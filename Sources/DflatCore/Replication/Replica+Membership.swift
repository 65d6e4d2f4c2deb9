import DflatSQLite

/// Making a file a member of its cluster.
extension Replica {
  /// Makes a file a member of the cluster, or checks that it is one.
  ///
  /// A file that is a member already is opened even if the cluster is out of reach, and checked later.
  func join(_ connection: Connection) throws {
    let membership = try ClusterTable.membership(on: connection)
    // A new file may be in the place of the one that was checked.
    if isVerified, try membership != nil || ChangeLog.commitNumber(on: connection) > 0 {
      return try require(membership)
    }
    do { try verify(membership, on: connection) } catch let error as WorkspaceError
      where error.code == .unavailable && membership != nil
    {}
  }

  /// Throws if the file isn't a member of the cluster any more: another process has taken it out, and may have let it
  /// begin another one.
  func requireMembership(of connection: Connection) throws {
    try require(ClusterTable.membership(on: connection))
  }

  private func require(_ membership: ClusterMembership?) throws {
    guard let membership, membership.cluster.hasSameBytes(as: try cluster) else { throw hasLeft }
  }

  /// Checks that the log is that of the file's cluster, and begins a cluster if there is none.
  func verify(_ membership: ClusterMembership?, on connection: Connection) throws {
    let position = try ChangeLog.commitNumber(on: connection)
    var status = try status(within: timeout)
    if status.cluster == nil { status = try beginCluster(with: membership, at: position, on: connection) }
    guard let cluster = status.cluster else { throw foreign("it has no identity") }
    let stored = try ClusterTable.membership(on: connection)
    // A file without commits that wanted to begin a cluster joins the one that is there.
    if let stored, stored.isConfirmed || position > 0 {
      guard stored.cluster.hasSameBytes(as: cluster) else {
        throw mismatch(
          "'\(path)' belongs to the cluster \(stored.cluster), but the one at \(log.location) is \(cluster); use "
            + "another file or another prefix")
      }
      if position > status.head { throw newer(position, than: status.head) }
      try requireRecord(of: position, in: status, on: connection)
    } else if position > 0 {
      throw mismatch(
        "'\(path)' has commits of its own, and there is a cluster at \(log.location) already; use another prefix, or "
          + "begin with a new file")
    }
    let current = confirmedMembership(in: cluster)
    if stored != current { try change(connection) { try ClusterTable.store(current, on: connection) } }
    state.withLock { ($0.cluster, $0.isDoubtful) = (cluster, false) }
  }

  /// The membership of a file in a cluster that this program reaches by its log.
  private func confirmedMembership(in cluster: String) -> ClusterMembership {
    ClusterMembership(cluster: cluster, engine: log.engine, location: log.location, address: log.address)
  }

  /// Lets a member's file say how this program reaches the cluster: in a snapshot, it says how another machine does.
  func storeAddress(on connection: Connection) throws {
    let current = confirmedMembership(in: try cluster)
    try change(connection) {
      guard let stored = try ClusterTable.membership(on: connection), stored != current,
        stored.cluster.hasSameBytes(as: current.cluster)
      else { return }
      try ClusterTable.store(current, on: connection)
    }
  }

  /// Throws if the log's record of the file's newest commit is another commit: an older state of the cluster was restored,
  /// and has gone on since.
  private func requireRecord(
    of position: UInt64, in status: CommitLogStatus, on connection: Connection
  ) throws {
    guard position >= status.oldest, let own = try ChangeLog.writer(of: position, on: connection),
      let writer = try reaching({ try log.writer(ofRecord: position, within: timeout) })
    else { return }
    guard writer == own else { throw lost(position) }
  }

  /// Throws if the file's newest commit is another commit in a snapshot, as far as its change log goes back: an older state
  /// of the cluster was restored, and the log no longer has the record that would show it.
  func requireCommit(_ position: UInt64, of file: Connection, in snapshot: Connection) throws {
    guard let own = try ChangeLog.writer(of: position, on: file),
      let writer = try ChangeLog.writer(of: position, on: snapshot)
    else { return }
    guard writer == own else { throw lost(position) }
  }

  /// Begins a cluster with a file, where there is none yet. Another machine may be faster.
  private func beginCluster(
    with membership: ClusterMembership?, at position: UInt64, on connection: Connection
  ) throws -> CommitLogStatus {
    if let membership, membership.isConfirmed || position > 0 && !options.seedsCluster {
      throw mismatch(
        "'\(path)' belongs to the cluster \(membership.cluster), but there is no cluster at \(log.location); check the "
          + "location, or restore the cluster")
    }
    guard options.createsCluster else {
      throw mismatch("there is no cluster at \(log.location) that '\(path)' could join; check the location")
    }
    guard position == 0 || options.seedsCluster else {
      throw mismatch(
        "'\(path)' has commits, and there is no cluster at \(log.location); let the file seed it, or begin with a new "
          + "file")
    }
    // The file says first which cluster it begins. If this program ends before it learns that the cluster is there, the
    // next one knows that it is this file's.
    let intended = try change(connection) {
      // Another process of this machine may have been faster.
      if let stored = try ClusterTable.membership(on: connection) { return stored }
      let intended = ClusterMembership(
        cluster: ClusterIdentity.random(), engine: log.engine, location: log.location, address: log.address,
        isConfirmed: false)
      try ClusterTable.store(intended, on: connection)
      return intended
    }
    let status = try reaching { try log.create(cluster: intended.cluster, head: position, within: options.timeout) }
    if let other = status.cluster, !other.hasSameBytes(as: intended.cluster) {
      // Another machine was faster.
      try change(connection) {
        if try ClusterTable.membership(on: connection) == intended { try ClusterTable.remove(on: connection) }
      }
    }
    return status
  }

  /// Runs a write transaction of this file alone.
  private func change<T>(_ connection: Connection, _ body: () throws -> T) throws -> T {
    try connection.beginImmediate()
    do {
      let result = try body()
      try connection.commit()
      return result
    } catch {
      try? connection.rollBack()  // the first error says more
      throw error
    }
  }

  /// True once the log was found to be that of the file's cluster.
  var isVerified: Bool { state.withLock { $0.cluster != nil } }

  /// The identity of the cluster.
  var cluster: String {
    get throws {
      guard let cluster = state.withLock({ $0.cluster }) else {
        throw unavailable(CommitLogError(.unavailable, "it has not been reached yet"))
      }
      return cluster
    }
  }
}

/// The identities of clusters.
private enum ClusterIdentity {
  /// Returns 32 random hexadecimal digits.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(UInt32.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }
}

extension SQLiteWorkspace {
  /// The status of a replicated workspace and its cluster; nil for other workspaces.
  ///
  ///     if let replication = workspace.replication {
  ///       print(replication.status.phase)
  ///       for await status in replication.statuses() { show(status) }
  ///     }
  public var replication: WorkspaceReplication? { core.replica.map { WorkspaceReplication(core: core, replica: $0) } }
}

/// The replication of one workspace. Any thread may use it.
public struct WorkspaceReplication: Sendable {
  let core: WorkspaceCore
  let replica: Replica

  /// The current status. Asks nobody, and blocks nothing.
  public var status: ReplicationStatus { replica.status }

  /// The status now and after each change, the newest one if several change before the next one is asked for. Ends with
  /// the workspace.
  public func statuses() -> AsyncStream<ReplicationStatus> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { replica.report(to: $0) }
  }

  /// The error because of which the phase is `unavailable`, `resolving` or `stopped`; nil in the other phases. If the
  /// cluster refuses the program's commits, it stays until the cluster takes one, and the phase with it. Asks nobody,
  /// and blocks nothing.
  public var error: WorkspaceError? { replica.error }

  /// Gets the newest commit of all machines, and makes it visible to this process's reads: they, and snapshots that
  /// begin afterwards, show every transaction of any machine whose completion was delivered before the call.
  /// Transactions do this by themselves.
  ///
  /// Blocks the calling thread for a round trip to the cluster, and until what is missing is applied.
  ///
  /// - Throws: ``WorkspaceError``: `.unavailable` if the cluster can't be reached in time, `.corrupt` or
  ///   `.clusterMismatch` if the file can't follow it, `.wouldDeadlock` in a transaction's closure, `.shutdown` after
  ///   shutdown.
  public func catchUp() throws {
    if ThreadContext.mustNotWait(for: core) { throw core.nestedError }
    try core.activity { try core.follow(replica) }
  }

  /// The identity of the cluster; nil until it has been reached for the first time.
  public var cluster: String? { try? replica.cluster }

  /// The location of the cluster, without secrets.
  public var location: String { replica.log.location }
}

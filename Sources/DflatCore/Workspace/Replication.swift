extension SQLiteWorkspace {
  /// Makes a workspace a replica: its commits are ordered by a cluster, and are the same on all machines.
  ///
  ///     let workspace = try SQLiteWorkspace.open(
  ///       filePath: "app.db",
  ///       replication: .etcd(endpoints: ["https://10.0.0.1:2379"], prefix: "/apps/shop/"))
  ///
  /// The product DflatReplication has the engines.
  public struct Replication: Sendable {
    /// The time to wait for the cluster. Transactions, and calls that wait for plain writes, end with `.unavailable`
    /// after it.
    ///
    /// The default is 15 seconds, so that a machine that crashes while it has the turn to write, which the cluster gives to
    /// others after 10 seconds, delays their transactions but doesn't fail them.
    public var timeout = Duration.seconds(15)
    /// Lets a file that has commits, and belongs to no cluster, begin one if there is none yet. All other machines then
    /// get its contents. Without it, such a file is refused (`.clusterMismatch`).
    public var seedsCluster = false

    /// Lets a new file begin a cluster if there is none yet.
    package var createsCluster = true
    /// The least size of the records after which the cluster gets a new snapshot of the file, and drops old records.
    package var snapshotBytes = 16 << 20

    package let makeLog: @Sendable () throws -> any CommitLog

    /// - Parameter makeLog: Connects to the engine, without waiting for it.
    package init(makeLog: @escaping @Sendable () throws -> any CommitLog) { self.makeLog = makeLog }
  }
}

extension ReplicationOptions {
  init(_ replication: SQLiteWorkspace.Replication) {
    timeout = replication.timeout
    seedsCluster = replication.seedsCluster
    createsCluster = replication.createsCluster
    snapshotBytes = replication.snapshotBytes
  }
}

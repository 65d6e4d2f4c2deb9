import DflatCore
import DflatKV
import Synchronization

extension OpenDatabase {
  /// The replicas that this process has open.
  private static let replicas = Mutex<[SQLiteWorkspace]>([])

  /// Opens a file as a replica. The command takes part in the cluster until the process ends.
  static func openReplica(
    _ path: String, namespace: String, options: SQLiteWorkspace.Options, replication: SQLiteWorkspace.Replication
  ) throws -> OpenDatabase {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: options, replication: replication)
    replicas.withLock { $0.append(workspace) }
    return OpenDatabase(workspace: workspace, namespace: namespace)
  }

  /// Closes the replicas, also those of a command that failed: the cluster's turn would stay with this process until its
  /// lease ends, and all machines would wait.
  static func closeReplicas() {
    let open = replicas.withLock { replicas in
      defer { replicas = [] }
      return replicas
    }
    for workspace in open {
      workspace.shutdown()
    }
  }

  /// Opens a file as a replica if it belongs to a cluster that this tool can take part in, and its user may write it.
  /// Returns nil otherwise.
  static func openForFollowing(
    _ path: String, namespace: String, options: SQLiteWorkspace.Options, timeout: SecondsArgument?
  ) throws -> OpenDatabase? {
    guard ClusterConnection.isBuiltIn, let membership = try membership(ofFile: path, options: options) else {
      return nil
    }
    var options = options
    options.isReadOnly = false
    do {
      let replication = try ClusterConnection.replication(ofFile: path, in: membership, timeout: timeout)
      return try openReplica(path, namespace: namespace, options: options, replication: replication)
    } catch let error as WorkspaceError where error.code == .readOnly {
      return nil
    }
  }

  /// Returns the cluster that a file belongs to; nil if it belongs to none, or if there is no file.
  static func membership(ofFile path: String, options: SQLiteWorkspace.Options) throws -> ClusterMembership? {
    var reading = options
    reading.isReadOnly = true
    reading.followsOtherProcesses = false
    let workspace: SQLiteWorkspace
    do { workspace = try SQLiteWorkspace.open(filePath: path, options: reading) } catch let error as WorkspaceError
      where error.code == .noSuchFile
    {
      return nil
    }
    defer { workspace.shutdown() }
    return try workspace.clusterMembership()
  }
}

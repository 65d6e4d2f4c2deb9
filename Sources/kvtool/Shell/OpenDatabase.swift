import DflatKV

/// An open file, and the namespace that the command works on.
struct OpenDatabase {
  enum Access {
    case reading
    /// Reads until interrupted. Errors that no call can throw go to standard error.
    case watching
    case updating
    case creating
  }

  let workspace: SQLiteWorkspace
  let namespace: String

  var dictionary: WorkspaceDictionary {
    workspace.dictionary.namespace(namespace)
  }

  /// Opens the file. Returns nil if it is missing and `access` doesn't create it.
  static func open(_ path: String, namespace: String, timeout: Double, access: Access) throws -> OpenDatabase? {
    let options = options(timeout: timeout, access: access)
    do {
      if access == .watching,
        let replica = try openForFollowing(path, namespace: namespace, options: options, timeout: timeout)
      {
        return replica
      }
      let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
      return OpenDatabase(workspace: workspace, namespace: namespace)
    } catch let error as WorkspaceError where error.code == .noSuchFile {
      return nil
    } catch let error as WorkspaceError where error.code == .clusterMismatch {
      // The file is a replica, so the command takes part in its cluster.
      guard let membership = try membership(ofFile: path, options: options) else {
        throw error
      }
      return try openReplica(
        path, namespace: namespace, options: options,
        replication: try ClusterConnection.replication(ofFile: path, in: membership, timeout: timeout))
    }
  }

  /// Returns the options of a workspace.
  static func options(timeout: Double, access: Access) -> SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options()
    options.isReadOnly = access == .reading || access == .watching
    options.createsFile = access == .creating
    options.busyTimeout = .seconds(timeout)
    // The command reports each error itself; a log line would repeat it.
    options.logger.logLevel = .critical
    options.followsOtherProcesses = access == .watching
    if access == .watching {
      options.errorHandler = { StandardError.write(message: ToolError($0).message) }
    }
    return options
  }

  /// Runs one transaction on the namespace.
  ///
  /// Blocks the calling thread until the transaction is committed. The body may run more than once if another process
  /// writes in between. A thrown error rolls everything back.
  func transact<Result>(_ body: (WorkspaceDictionary) throws -> Result) throws -> Result {
    try workspace.transactAndWait([]) { transaction in
      try body(transaction.dictionary.namespace(namespace))
    }
  }
}

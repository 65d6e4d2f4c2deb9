import DflatKV

/// An open file and the namespace in it that the command is about.
struct OpenDatabase {
  enum Access {
    case reading
    /// Reading until interrupted; errors that no call gets go to standard error.
    case watching
    case updating
    case creating
  }

  let workspace: SQLiteWorkspace
  let namespace: String

  var dictionary: WorkspaceDictionary {
    workspace.dictionary.namespace(namespace)
  }

  /// Opens the file; nil when it is missing and `access` does not create it.
  static func open(_ path: String, namespace: String, timeout: Double, access: Access) throws -> OpenDatabase? {
    var options = SQLiteWorkspace.Options()
    options.isReadOnly = access == .reading || access == .watching
    options.createsFile = access == .creating
    options.busyTimeout = .seconds(timeout)
    // Each error is reported once, as the command's own.
    options.logger.logLevel = .critical
    options.followsOtherProcesses = access == .watching
    if access == .watching {
      options.errorHandler = { StandardError.write(message: ToolError($0).message) }
    }
    do {
      let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
      return OpenDatabase(workspace: workspace, namespace: namespace)
    } catch let error as WorkspaceError where error.code == .noSuchFile {
      return nil
    }
  }

  /// Runs one transaction on the namespace and returns when it is committed.
  ///
  /// The body may run more than once, when another process wrote in between; a thrown error rolls everything back.
  func transact<Result>(_ body: (WorkspaceDictionary) throws -> Result) throws -> Result {
    try workspace.transactAndWait([]) { transaction in
      try body(transaction.dictionary.namespace(namespace))
    }
  }
}

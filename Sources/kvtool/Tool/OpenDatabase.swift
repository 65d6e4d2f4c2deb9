import ArgumentParser
import DflatCore
import DflatKV

/// An open file, and the namespace that the command works on.
struct OpenDatabase {
  enum Access {
    case reading
    /// Reads objects. Those that can't be read are left out, and reported to standard error.
    case querying
    /// Reads until interrupted. Errors that no call can throw go to standard error.
    case watching
    case updating
    case creating
  }

  let workspace: SQLiteWorkspace
  let namespace: String
  /// The key of the namespaces that the command uses; nil if they aren't sealed.
  var sealKey: ToolSealKey?

  var dictionary: WorkspaceDictionary {
    dictionary(namespace, of: workspace.dictionary)
  }

  /// Returns the dictionary of a namespace, with the key if one was given.
  ///
  /// - Parameters:
  ///   - root: The workspace's dictionary, or a transaction's.
  ///   - isOpening: False for a dictionary that reads and writes envelopes.
  func dictionary(
    _ name: String, of root: WorkspaceDictionary, opening isOpening: Bool = true
  ) -> WorkspaceDictionary {
    isOpening ? sealKey?.dictionary(name, of: root) ?? root.namespace(name) : root.namespace(name)
  }

  /// Returns the dictionary of a namespace for a reader of all namespaces: with the key, if one was given and the
  /// namespace is sealed.
  func shownDictionary(_ name: String) throws -> WorkspaceDictionary {
    let stored = workspace.dictionary.namespace(name)
    guard sealKey != nil, try stored.firstKey(withPrefix: "", after: nil, valueUpTo: 0)?.kind == .sealed else {
      return stored
    }
    return dictionary(name, of: workspace.dictionary)
  }

  /// Returns a value opened, if it is sealed with the key that was given, or else unchanged.
  func opened(_ value: StoredValue, forKey key: String, in name: String) -> StoredValue {
    (try? dictionary(name, of: workspace.dictionary).opened(value, forKey: key)) ?? value
  }

  /// The status of the last error that no call has thrown.
  private static let reportedError = Lock<ToolExitStatus?>(nil)

  /// The status of an error that was only reported.
  static var reportedStatus: ToolExitStatus? { reportedError.withLock { $0 } }

  /// The errors about a damaged file that were written to standard error.
  private struct WrittenDamage {
    /// True if one was that no call has thrown.
    var isReported = false
    /// True if the command has ended with one.
    var hasEnded = false
  }

  private static let writtenDamage = Lock(WrittenDamage())

  /// Notes that the command ends with an error about damage. Returns true if an error that no call has thrown was
  /// written before, and says the same. One that is reported from now on isn't written.
  static func endsWithReportedDamage() -> Bool {
    writtenDamage.withLock {
      $0.hasEnded = true
      return $0.isReported
    }
  }

  /// Writes an error that no call has thrown.
  private static func write(_ error: ToolError, isDamage: Bool) {
    guard isDamage else { return StandardError.write(message: error.message) }
    writtenDamage.withLock {
      if $0.hasEnded { return }
      $0.isReported = true
      StandardError.write(message: error.message)
    }
  }

  /// Throws the status of an error that was only reported, else the error of the command's output, which is reported if
  /// it isn't thrown. Call it after the shutdown: until then, errors are reported on a queue.
  static func requireNoReportedError(after printing: Result<Void, any Error>) throws {
    guard let status = reportedStatus else { return try printing.get() }
    if case .failure(let error as ToolError) = printing { StandardError.write(message: error.message) }
    throw ExitCode(status.rawValue)
  }

  /// Opens the file. Returns nil if it is missing and `access` doesn't create it.
  static func open(_ path: String, namespace: String, timeout: SecondsArgument?, access: Access) throws -> OpenDatabase?
  {
    let options = options(timeout: timeout, access: access)
    // SQLite takes an empty file for a new database, as a program leaves it that was ended before its first commit.
    if access == .updating, DatabaseLocation.isEmptyFile(path) { return nil }
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
  static func options(timeout: SecondsArgument?, access: Access) -> SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options()
    options.isReadOnly = access == .reading || access == .querying || access == .watching
    options.createsFile = access == .creating
    options.busyTimeout = .seconds(timeout?.seconds ?? GlobalOptions.timeoutOfLocks)
    // The command reports each error itself; a log line would repeat it.
    options.logger.logLevel = .critical
    options.followsOtherProcesses = access == .watching
    if access != .reading {
      options.errorHandler = { error in
        // An object that was left out is damaged.
        let isDamage = error.code == .undecodable
        let isOfFile = error.code == .corrupt && (access == .updating || access == .creating)
        let error = ToolError(error)
        write(error, isDamage: isOfFile)
        reportedError.withLock { $0 = isDamage ? .unreadableFile : error.status }
      }
    }
    return options
  }

  /// Runs one transaction on the namespace.
  ///
  /// Blocks the calling thread until the transaction is committed. The body may run more than once if another process
  /// writes in between. A thrown error rolls everything back.
  func transact<Result>(_ body: (WorkspaceDictionary) throws -> Result) throws -> Result {
    try workspace.transactAndWait([]) { transaction in
      try body(dictionary(namespace, of: transaction.dictionary))
    }
  }
}

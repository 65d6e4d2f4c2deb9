public import Dispatch

/// A workspace on one SQLite file.
///
///     let workspace = try SQLiteWorkspace.open(filePath: "app.db")
///     workspace.dictionary["volume"] = 0.8
///     try workspace.transactAndWait { txn in
///       txn.dictionary["from"] = 90
///       txn.dictionary["to"] = 110
///     }
///
/// It may be used from any thread. Observers and completion handlers run one at a time, in commit order, on a thread of the
/// workspace's own, the delivery queue. Releasing the last reference commits what was accepted and closes the file.
/// Beside the file there are SQLite's `-wal` and `-shm`, while it is open, and a `-dflat` of one byte.
public final class SQLiteWorkspace: Workspace {
  package let core: WorkspaceCore

  private init(core: WorkspaceCore) { self.core = core }

  deinit { core.retire() }

  /// What the parts of this package share.
  public var _core: _WorkspaceCore { _WorkspaceCore(core: core) }

  /// A workspace that opens its file at the first use, and makes it at the first write, transaction or subscription.
  ///
  /// It cannot fail: what is wrong with the file reaches completions, `synchronize()` and the log. `open(filePath:options:)`
  /// tells at once.
  ///
  /// - Parameters:
  ///   - filePath: The database file; its folder has to exist. Links and relative paths are resolved here, once.
  ///   - fileProtectionLevel: The data protection class of a new file, where the system has them.
  ///   - synchronous: What a commit survives.
  ///   - writeConcurrency: Whether disjoint transactions run side by side.
  ///   - targetQueue: Where transactions' closures run; nil for a few threads of the workspace's own.
  public convenience init(
    filePath: String, fileProtectionLevel: FileProtectionLevel, synchronous: Synchronous = .normal,
    writeConcurrency: WriteConcurrency = .concurrent, targetQueue: DispatchQueue? = nil
  ) {
    var options = Options()
    options.fileProtectionLevel = fileProtectionLevel
    options.synchronous = synchronous
    options.writeConcurrency = writeConcurrency
    options.targetQueue = targetQueue
    self.init(filePath: filePath, options: options)
  }

  /// A workspace that opens its file at the first use, with every option: an error handler, for one.
  ///
  /// It cannot fail, as ``init(filePath:fileProtectionLevel:synchronous:writeConcurrency:targetQueue:)`` can't.
  public convenience init(filePath: String, options: Options) {
    self.init(core: WorkspaceCore(path: filePath, options: options))
  }

  /// Opens a workspace now. Links and relative paths are resolved once.
  ///
  /// - Throws: ``WorkspaceError``: `.isDirectory`, `.noSuchFile`, `.cannotOpen`, `.readOnly`, `.notADatabase`, `.corrupt`,
  ///   `.newerFormat`, `.foreignDatabase`, `.busy`, `.diskFull`, `.inputOutput`, `.forked`.
  public static func open(filePath: String, options: Options = Options()) throws -> SQLiteWorkspace {
    let workspace = SQLiteWorkspace(core: WorkspaceCore(path: filePath, options: options))
    try workspace.core.openNow()
    return workspace
  }

  /// A workspace for tests and previews, on a private file in the system's memory or temporary folder, which is gone when
  /// the workspace closes. It behaves as one on any other file does.
  public static func inMemory(options: Options = Options()) throws -> SQLiteWorkspace {
    if !ForkGuard.isOriginal { throw WorkspaceError.forked("memory") }
    let folder = try TemporaryFolder.make()
    let workspace = SQLiteWorkspace(
      core: WorkspaceCore(path: folder + "/workspace.db", options: options, temporaryDirectory: folder))
    try workspace.core.openNow()
    return workspace
  }

  /// The path that the workspace was opened with.
  public var filePath: String { core.path }

  /// The newest commit that this process knows: what its caches show. In a snapshot, the commit that it shows.
  public var commitNumber: UInt64 {
    if case .snapshot(let snapshot)? = ThreadContext.reading(core), case .pinned(_, let number) = snapshot.state {
      return number
    }
    return core.publication.published
  }

  /// Runs `body` on this thread with all its reads answered as of one commit.
  public func fetchWithinASnapshot<T>(_ body: () throws -> T) rethrows -> T { try core.withinSnapshot(body) }

  /// Stops new work, commits what was accepted, and closes the file.
  ///
  /// Without a `completion` it blocks until that is done and callbacks that are due have run; from a transaction's closure, a
  /// snapshot, a callback or the target queue, where it could only wait for itself, it returns at once. With one it always
  /// returns at once; `completion` runs on the target queue, or a thread of the workspace's. Later calls are harmless.
  /// From the call on writes fail with `.shutdown`; reads give nothing, and those that throw `.shutdown`.
  public func shutdown(flags: WorkspaceShutdownFlag, completion: (@Sendable () -> Void)?) {
    core.shutdown(flags: flags, completion: completion)
  }
}

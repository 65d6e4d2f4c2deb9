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
/// Any thread may use a workspace. Observers and completion handlers run one at a time, in commit order, on the
/// workspace's delivery queue, which is a thread of its own. Releasing the last reference commits all accepted writes
/// and closes the file; it blocks the releasing thread as ``shutdown(flags:completion:)`` without a completion does.
/// While a workspace is open, SQLite's `-wal` and `-shm` files and a `-dflat` file of one byte are next to the
/// database.
public final class SQLiteWorkspace: Workspace {
  package let core: WorkspaceCore

  private init(core: WorkspaceCore) { self.core = core }

  deinit { core.retire() }

  /// The part of a workspace that the modules of this package share.
  public var _core: _WorkspaceCore { _WorkspaceCore(core: core) }

  /// Creates a workspace that opens its file on first use. The first write, transaction or subscription creates a
  /// missing file.
  ///
  /// The initializer can't fail: errors of the file reach completions, `synchronize()` and the log.
  /// ``open(filePath:options:)`` reports them at once.
  ///
  /// - Parameters:
  ///   - filePath: The database file. Its folder must exist. The initializer resolves symbolic links and relative
  ///     paths, once.
  ///   - fileProtectionLevel: The data protection class of a new file, on systems that have data protection.
  ///   - synchronous: The durability of a commit.
  ///   - writeConcurrency: The concurrency of transactions that declare disjoint types.
  ///   - targetQueue: The queue that runs the closures of transactions; nil for a few threads of the workspace's own.
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

  /// Creates a workspace that opens its file on first use, with all options, such as an error handler.
  ///
  /// Like ``init(filePath:fileProtectionLevel:synchronous:writeConcurrency:targetQueue:)``, it can't fail.
  public convenience init(filePath: String, options: Options) {
    self.init(core: WorkspaceCore(path: filePath, options: options))
  }

  /// Opens a workspace at once, and creates a missing file unless the options say otherwise. Resolves symbolic links
  /// and relative paths, once.
  ///
  /// Blocks the calling thread until the file is open, and waits for locks of other processes up to the busy timeout.
  ///
  /// - Throws: ``WorkspaceError`` with one of these codes, which every other call throws, too, if it can't open, read
  ///   or write the file:
  ///   - `.isDirectory` if the path leads to a folder;
  ///   - `.noSuchFile` if the file doesn't exist and the options don't allow creating it, or if a read-only workspace's
  ///     file is empty;
  ///   - `.cannotOpen` if the file can't be opened or created, for example because of permissions or a missing folder,
  ///     if its file system doesn't support a write-ahead log, or if it was moved or deleted while it was open;
  ///   - `.readOnly` if the call needs to write, but the file or the workspace is read-only;
  ///   - `.notADatabase` if the file is not an SQLite database, `.foreignDatabase` if it is one of another program;
  ///   - `.newerFormat` if a newer version of this library wrote the file;
  ///   - `.corrupt` if the file is damaged;
  ///   - `.busy` if another process holds a lock past the busy timeout;
  ///   - `.diskFull` if the disk is full, `.inputOutput` if the system fails to read or write, `.outOfMemory` if SQLite
  ///     runs out of memory;
  ///   - `.sqlite` for another error of SQLite;
  ///   - `.forked` in a forked child process.
  public static func open(filePath: String, options: Options = Options()) throws -> SQLiteWorkspace {
    let workspace = SQLiteWorkspace(core: WorkspaceCore(path: filePath, options: options))
    try workspace.core.openNow()
    return workspace
  }

  /// Opens a workspace for tests and previews. It behaves like any other, on a private file in the system's memory or
  /// temporary folder, which closing the workspace deletes.
  ///
  /// Blocks the calling thread until the file is set up.
  ///
  /// - Throws: ``WorkspaceError`` with code `.cannotOpen` if no temporary folder can be created; `.diskFull`,
  ///   `.inputOutput`, `.outOfMemory` or `.sqlite` if the file can't be set up; `.forked` in a forked child.
  public static func inMemory(options: Options = Options()) throws -> SQLiteWorkspace {
    if !ForkGuard.isOriginal { throw WorkspaceError.forked("memory") }
    let folder = try TemporaryFolder.make()
    let workspace = SQLiteWorkspace(
      core: WorkspaceCore(path: folder + "/workspace.db", options: options, temporaryDirectory: folder))
    try workspace.core.openNow()
    return workspace
  }

  /// The path that the workspace was created with.
  public var filePath: String { core.path }

  /// The number of the newest commit that this process's caches show; in a snapshot, of the commit that the snapshot
  /// shows.
  public var commitNumber: UInt64 {
    if case .snapshot(let snapshot)? = ThreadContext.reading(core), case .pinned(_, let number) = snapshot.state {
      return number
    }
    return core.publication.published
  }

  /// Runs `body` on this thread. All reads in it see the same commit.
  ///
  /// Blocks the calling thread as ``Queryable/fetchWithinASnapshot(_:)`` does.
  public func fetchWithinASnapshot<T>(_ body: () throws -> T) rethrows -> T { try core.withinSnapshot(body) }

  /// Stops new work, commits all accepted writes, and closes the file.
  ///
  /// Without a `completion`, the call blocks the calling thread until accepted transactions and open snapshots have
  /// ended, the file is closed, and all pending callbacks have run. In a transaction's closure, a snapshot, a callback
  /// or on the target queue it returns at once, because it would wait for itself. With a `completion`, it always
  /// returns at once.
  ///
  /// From the call on, writes fail with `.shutdown`; reads return nothing, and reads that can throw throw `.shutdown`.
  /// Calling it again is harmless.
  ///
  /// - Parameters:
  ///   - flags: The state in which to leave the file.
  ///   - completion: Runs after the file is closed, on the target queue or a thread of the workspace's own.
  public func shutdown(flags: WorkspaceShutdownFlag, completion: (@Sendable () -> Void)?) {
    core.shutdown(flags: flags, completion: completion)
  }
}

public import DflatCore
import DflatEntities
public import Dispatch

/// Creating workspaces, here because this module knows all participants: their tables are part of every file.
extension SQLiteWorkspace {
  /// The parts of the file of all participants.
  package static var tables: [any ParticipantTables] { [DictionaryTables(), EntityTables()] }

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
    self.init(core: WorkspaceCore(path: filePath, options: options, tables: Self.tables))
  }

  /// Opens a workspace at once, and creates a missing file unless the options say otherwise. Resolves symbolic links
  /// and relative paths, once.
  ///
  /// Blocks the calling thread until the file is open, and waits for locks of other processes up to the busy timeout.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with one of these codes, which every other call throws, too, if it can't
  ///   open, read or write the file:
  ///   - `.isDirectory` if the path leads to a folder;
  ///   - `.noSuchFile` if the file doesn't exist and the options don't allow creating it, or if a read-only workspace's
  ///     file is empty;
  ///   - `.cannotOpen` if the file can't be opened or created, for example because of permissions or a missing folder,
  ///     if its path contains U+0000, if its file system doesn't support a write-ahead log, or if it was moved or deleted
  ///     while it was open;
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
    let workspace = SQLiteWorkspace(filePath: filePath, options: options)
    try workspace.core.openNow()
    return workspace
  }

  /// Opens a workspace as a replica: its commits are ordered by a cluster, and are the same on all machines.
  ///
  ///     let workspace = try SQLiteWorkspace.open(
  ///       filePath: "app.db",
  ///       replication: .etcd(endpoints: ["https://10.0.0.1:2379"], prefix: "/apps/shop/"))
  ///
  /// A new file gets the cluster's state, or begins the cluster if there is none. Blocks the calling thread until the
  /// file is open, and has reached the newest commit of all machines, unless the cluster is out of reach. A file that
  /// is a member already is opened all the same then.
  ///
  /// - Throws: The errors of ``open(filePath:options:)``, and ``/DflatCore/WorkspaceError`` with these codes:
  ///   - `.unavailable` if the cluster can't be reached, and the file isn't a member yet;
  ///   - `.clusterMismatch` if the file belongs to another cluster, or has commits that the cluster doesn't have;
  ///   - `.corrupt` if what the cluster has isn't this library's.
  public static func open(
    filePath: String, options: Options = Options(), replication: Replication
  ) throws -> SQLiteWorkspace {
    let core = try WorkspaceCore(path: filePath, options: options, tables: tables, replication: replication)
    let workspace = SQLiteWorkspace(core: core)
    try core.openNow()
    try core.catchUpWithCluster()
    return workspace
  }

  /// Opens a workspace for tests and previews. It behaves like any other, on a private file in the system's memory or
  /// temporary folder, which closing the workspace deletes.
  ///
  /// Blocks the calling thread until the file is set up.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.cannotOpen` if no temporary folder can be created;
  ///   `.diskFull`, `.inputOutput`, `.outOfMemory` or `.sqlite` if the file can't be set up; `.forked` in a forked
  ///   child.
  public static func inMemory(options: Options = Options()) throws -> SQLiteWorkspace {
    let workspace = SQLiteWorkspace(core: try .inMemory(options: options, tables: tables))
    try workspace.core.openNow()
    return workspace
  }
}

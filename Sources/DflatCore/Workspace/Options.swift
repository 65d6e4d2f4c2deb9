public import DflatBuffers
public import Dispatch
public import Logging

extension SQLiteWorkspace {
  /// The data protection class of a new file, on systems that have data protection. The raw values are the system's.
  public enum FileProtectionLevel: Int32, Sendable {
    /// Always accessible (class D).
    case noProtection = 4
    /// Accessible while the device is unlocked (class A).
    case completeFileProtection = 1
    /// An open file stays accessible (class B).
    case completeFileProtectionUnlessOpen = 2
    /// Accessible after the first unlock (class C).
    case completeFileProtectionUntilFirstUserAuthentication = 3
  }

  /// The concurrency of transactions that declare disjoint types.
  public enum WriteConcurrency: Sendable {
    /// Closures of such transactions run side by side. Writes to the file still take turns.
    case concurrent
    /// Transactions run one at a time, in the order of their calls.
    case serial
  }

  /// The durability of a commit.
  public enum Synchronous: Sendable {
    /// A commit always survives a crash of the program. A power loss may lose the newest commits, but preserves their
    /// order and atomicity.
    case normal
    /// A commit also survives a power loss. Each group of transactions waits for the disk.
    case full
  }

  /// A limit on the part of the dictionary that stays in memory.
  ///
  /// Observed keys always stay. If they take more than three quarters of the limit, other keys may take a quarter of it
  /// on top, or a quarter of what the observed ones take if that is more.
  public enum CacheLimit: Sendable, Hashable {
    /// Keeps everything that was read or written.
    case unlimited
    /// Keeps about this many entries.
    case entries(Int)
    /// Keeps about this many bytes of keys and values.
    case bytes(Int)
  }

  /// Options for opening a workspace.
  ///
  ///     var options = SQLiteWorkspace.Options()
  ///     options.synchronous = .full
  ///     options.errorHandler = { print($0) }
  ///     let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
  public struct Options: Sendable {
    /// The data protection class of a new file.
    public var fileProtectionLevel = FileProtectionLevel.noProtection
    /// The durability of a commit.
    public var synchronous = Synchronous.normal
    /// The concurrency of transactions that declare disjoint types.
    public var writeConcurrency = WriteConcurrency.concurrent
    /// Opens the workspace for reading: every write fails with `.readOnly`, a missing database isn't created, and the
    /// workspace leaves none of SQLite's files behind.
    public var isReadOnly = false
    /// Creates a missing file. If this is false, a missing file is an error (`.noSuchFile`); observers of a workspace
    /// that was created before the file receive its commits once another process has created it.
    public var createsFile = true
    /// The time to wait for another process's lock before failing with `.busy`.
    public var busyTimeout = Duration.seconds(5)
    /// The queue that runs the closures of transactions; nil for the workspace's own threads. Don't block this queue,
    /// or all the threads that the system has for it, while waiting for the workspace.
    ///
    /// At most four closures start side by side. If none of them ends for 100 ms, one more starts, up to 32, or 256 without
    /// a target queue.
    public var targetQueue: DispatchQueue?
    /// The logger. A workspace logs nothing at `.info` or above as long as nothing is wrong, except that a replica has
    /// connected to its cluster.
    ///
    ///     var options = SQLiteWorkspace.Options()
    ///     options.logger = Logger(label: "app.settings")
    ///     options.logger.logLevel = .critical  // silent: the error handler receives the errors
    ///
    /// The levels:
    ///
    /// - `.error`: each error that ``errorHandler`` receives.
    /// - `.warning`: a failure that the workspace handles by itself, such as a checkpoint that a later commit repeats.
    /// - `.debug`: everything else, such as a version of SQLite that other programs should not write to the file with.
    ///
    /// Entries are written on the delivery queue, and only there the log handler is asked for its level, so both may use
    /// the workspace.
    ///
    /// An entry's text says what happened, in which file, and what to do. Its metadata has at most two keys: `code`,
    /// the name of a ``WorkspaceError/Code``, and `cause`, the error of SQLite or of a coder, if there is one. The
    /// texts can contain keys, and the cause that an encoder throws can contain the value that it refuses.
    public var logger = Logger(label: "dflatkv")
    /// Receives, on the delivery queue, the errors that no caller receives: a failed plain write, a value that can't be
    /// decoded, and a failed `performChanges`, whose completion handler only learns that it failed.
    public var errorHandler: (@Sendable (WorkspaceError) -> Void)?
    /// Receives measurements of the workspace's commits; nil to measure nothing.
    ///
    ///     options.meter = WorkspaceMetrics()  // of DflatMetrics: for swift-metrics
    public var meter: (any WorkspaceMeter)?
    /// Traces transactions and waits for plain writes; nil to trace nothing.
    ///
    ///     options.tracer = DistributedTracer()  // of DflatTracing: for swift-distributed-tracing
    public var tracer: (any WorkspaceTracer)?
    /// The limit on the part of the dictionary that stays in memory.
    public var cacheLimit = CacheLimit.unlimited
    /// Limits for reading FlatBuffers values of the dictionary. `maximumMemory` also limits property lists. A value
    /// that exceeds a limit reads as `.undecodable`. Writing values and reading entities use the default limits.
    public var flatBufferLimits = FlatBufferLimits()
    /// Watches for other processes' commits. A short-lived program sets this to false, because ending the watch takes a
    /// few milliseconds; then only transactions, snapshots, and reads that open a new view notice such commits.
    package var followsOtherProcesses = true
    /// Fills new indexes in the background. Tests that fill indexes step by step set this to false.
    package var fillsIndexes = true
    /// Says when values expire.
    package var wallClock = WallClock.system
    /// The name of the SQLite VFS; nil for the default.
    package var vfs: String?
    /// Decides when groups commit.
    package var groupPolicy = GroupPolicy()

    /// Creates the default options.
    public init() {}
  }
}

extension SQLiteWorkspace.Options {
  /// The options that concern the file.
  var file: FileOptions {
    FileOptions(
      isReadOnly: isReadOnly, createsFile: createsFile, busyTimeout: busyTimeout,
      isFullySynchronous: synchronous == .full, protectionClass: fileProtectionLevel.rawValue, vfs: vfs)
  }
}

public import DflatBuffers
public import Dispatch
public import Logging

extension SQLiteWorkspace {
  /// The data protection class of a new file, on the systems that have them; the values are the system's.
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

  /// Whether transactions over disjoint types run their closures side by side.
  public enum WriteConcurrency: Sendable {
    /// They do. Writes to the file still take turns.
    case concurrent
    /// One transaction at a time, in the order of their calls.
    case serial
  }

  /// What a commit survives.
  public enum Synchronous: Sendable {
    /// A crash of the program always; a power loss may cost the newest commits, never order or atomicity.
    case normal
    /// A power loss too; each group of transactions waits for the disk.
    case full
  }

  /// How much of the dictionary stays in memory.
  public enum CacheLimit: Sendable, Hashable {
    /// Everything that was read or written.
    case unlimited
    /// About so many entries.
    case entries(Int)
    /// About so many bytes of keys and values.
    case bytes(Int)
  }

  /// How a workspace is opened.
  ///
  ///     var options = SQLiteWorkspace.Options()
  ///     options.synchronous = .full
  ///     options.errorHandler = { print($0) }
  ///     let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
  public struct Options: Sendable {
    /// The data protection class of a new file.
    public var fileProtectionLevel = FileProtectionLevel.noProtection
    /// What a commit survives.
    public var synchronous = Synchronous.normal
    /// Whether disjoint transactions run side by side.
    public var writeConcurrency = WriteConcurrency.concurrent
    /// Refuses every write with `.readOnly`, makes no database, and leaves none of SQLite's files behind.
    public var isReadOnly = false
    /// False: a missing file is an error (`.noSuchFile`).
    public var createsFile = true
    /// How long to wait for another process's lock before `.busy`.
    public var busyTimeout = Duration.seconds(5)
    /// Where transactions' closures run; nil for threads of the workspace's own. Don't block this queue on the workspace, nor
    /// all the threads that the system has for it.
    ///
    /// Four closures at a time begin; when none of them ends for 100 ms, one more does.
    public var targetQueue: DispatchQueue?
    /// The log that errors and warnings go to.
    public var logger = Logger(label: "dflatkv")
    /// Told of the errors that no caller gets, on the delivery queue: a failed plain write, a value that can't be decoded,
    /// a failed `performChanges`, whose completion handler is told no more than that.
    public var errorHandler: (@Sendable (WorkspaceError) -> Void)?
    /// How much of the dictionary stays in memory.
    public var cacheLimit = CacheLimit.unlimited
    /// Bounds on reading a FlatBuffers value of the dictionary; its `maximumMemory` bounds property lists too. A value that
    /// exceeds them reads as `.undecodable`. Values are written, and entities read, within the defaults.
    public var flatBufferLimits = FlatBufferLimits()
    /// False for a program that is done in a moment: then other processes' commits are noticed by transactions and
    /// snapshots alone. Ending a watch costs a few milliseconds.
    package var followsOtherProcesses = true
    /// False for tests that fill indexes by hand.
    package var fillsIndexes = true
    /// SQLite's VFS; nil for the system's.
    package var vfs: String?
    /// When groups are committed.
    package var groupPolicy = GroupPolicy()

    /// The defaults.
    public init() {}
  }
}

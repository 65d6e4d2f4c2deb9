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

  /// Creates a workspace that opens its file on first use.
  package init(core: WorkspaceCore) { self.core = core }

  deinit { core.retire() }

  /// The part of a workspace that the modules of this package share.
  public var _core: _WorkspaceCore { _WorkspaceCore(core: core) }

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
  /// ended, the file is closed, and all pending callbacks have run. In a transaction's closure or a callback, of any
  /// workspace, in a snapshot of this one or on the target queue it returns at once, because it could wait for itself.
  /// So does a call in a snapshot of another workspace if a snapshot that it would wait for waits for that workspace to
  /// close: threads may shut down each other's workspaces. With a `completion`, it always returns at once.
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

/// A source of reads that can share one commit.
public protocol Queryable: AnyObject, Sendable {
  /// Runs `body` on this thread. All reads in it see the same commit.
  ///
  ///     let (width, height) = workspace.fetchWithinASnapshot {
  ///       (workspace.dictionary["width", Int.self], workspace.dictionary["height", Int.self])
  ///     }
  ///
  /// That commit is the newest one of any process when the call begins. Snapshots nest: the outer one applies.
  /// Snapshots of two workspaces can overlap. Inside a transaction's closure the call only runs `body`. Reads don't see
  /// plain writes that aren't committed yet. If no read view can be opened, the reads in `body` return nil, and those
  /// that can throw throw the error.
  ///
  /// The call blocks the calling thread until the read view is open. It may wait for a commit that is being written and
  /// for locks of other processes, but not for running transactions.
  func fetchWithinASnapshot<T>(_ body: () throws -> T) rethrows -> T

  /// The part of a workspace that the modules of this package share.
  var _core: _WorkspaceCore { get }
}

/// Options for the state in which `shutdown` leaves the file. If a step fails, for example because the disk is full,
/// the error handler and the log receive the error, and the file stays as it was.
public struct WorkspaceShutdownFlag: OptionSet, Sendable {
  /// The flags as bits.
  public let rawValue: Int

  /// Creates a set of flags from its raw value.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Moves the write-ahead log into the database, and leaves a single file in rollback-journal mode. If another process
  /// or workspace has the file open, the log stays, and nobody waits.
  public static let truncate = WorkspaceShutdownFlag(rawValue: 1)
  /// Compacts the file, and then does the same as ``truncate``.
  public static let vacuum = WorkspaceShutdownFlag(rawValue: 2)
}

/// An open file of entities and dictionaries, with its transactions and observers. ``SQLiteWorkspace`` implements it.
public protocol Workspace: Queryable {
  /// The state in which `shutdown` leaves the file.
  typealias ShutdownFlag = WorkspaceShutdownFlag
  /// The closure of a transaction.
  typealias ChangesHandler = (_ transactionContext: TransactionContext) -> Void
  /// A closure that receives true if a transaction committed.
  typealias CompletionHandler = (_ success: Bool) -> Void
  /// A subscription. Releasing it cancels it.
  typealias Subscription = WorkspaceSubscription

  /// Queues a transaction, and returns at once. See
  /// ``SQLiteWorkspace/performChanges(_:changesHandler:completionHandler:)``.
  func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: sending @escaping ChangesHandler,
    completionHandler: sending CompletionHandler?)

  /// Closes the workspace. Without a `completion`, blocks the calling thread until it is closed. See
  /// ``SQLiteWorkspace/shutdown(flags:completion:)``.
  func shutdown(flags: ShutdownFlag, completion: (@Sendable () -> Void)?)
}

/// Hides the internals that the modules of this package share from the package's users.
public struct _WorkspaceCore: Sendable {
  package let core: WorkspaceCore
}

extension Queryable {
  package var core: WorkspaceCore { _core.core }
}

extension Workspace {
  /// Queues a transaction without a completion handler.
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: sending @escaping ChangesHandler
  ) {
    performChanges(transactionalObjectTypes, changesHandler: changesHandler, completionHandler: nil)
  }

  /// Runs a transaction, and returns true if it committed.
  @discardableResult
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: sending @escaping ChangesHandler
  ) async -> Bool {
    let changes = UncheckedTransfer(changesHandler)
    return await withCheckedContinuation { continuation in
      performChanges(transactionalObjectTypes) {
        changes.value($0)
      } completionHandler: {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Shuts the workspace down, and blocks the calling thread until all accepted writes are committed and the file is
  /// closed. See ``SQLiteWorkspace/shutdown(flags:completion:)`` for the callers that it doesn't block.
  public func shutdown(flags: ShutdownFlag) { shutdown(flags: flags, completion: nil) }

  /// Shuts the workspace down, and blocks the calling thread until all accepted writes are committed and the file is
  /// closed, like ``shutdown(flags:)``.
  public func shutdown() { shutdown(flags: [], completion: nil) }

  /// Closes the workspace in the background, and runs `completion` afterwards. Without a `completion` it blocks like
  /// ``shutdown(flags:)``.
  public func shutdown(completion: (@Sendable () -> Void)?) { shutdown(flags: [], completion: completion) }

  /// Shuts the workspace down, and returns after all accepted writes are committed and the file is closed.
  public func shutdown() async { await shutdown(flags: []) }

  /// Shuts the workspace down, and returns after all accepted writes are committed and the file is closed.
  public func shutdown(flags: ShutdownFlag) async {
    await withCheckedContinuation { continuation in shutdown(flags: flags) { continuation.resume() } }
  }
}

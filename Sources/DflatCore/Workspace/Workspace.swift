/// What can be read at one commit.
public protocol Queryable {
  /// Starts a query on one type of objects. Nothing is read before `where` or `all` is called on what it gives.
  func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element>

  /// Runs `body` on this thread with all its reads answered as of one commit.
  ///
  ///     let (width, height) = workspace.fetchWithinASnapshot {
  ///       (workspace.dictionary["width", Int.self], workspace.dictionary["height", Int.self])
  ///     }
  ///
  /// The commit is the newest one, of any process, when the call begins. Snapshots nest (the outer one holds), and those of
  /// two workspaces may be used at once. Inside a transaction's closure it only calls `body`. Plain writes that are not
  /// committed are not seen. When no read view can be taken, the reads inside give nil, and the throwing ones the error.
  func fetchWithinASnapshot<T>(_ body: () throws -> T) rethrows -> T
}

/// How a workspace is left behind by `shutdown`.
public struct WorkspaceShutdownFlag: OptionSet, Sendable {
  /// The flags as bits.
  public let rawValue: Int

  /// A set of flags by its raw value.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Moves the write-ahead log into the file, and leaves that one file, in rollback-journal mode. While another process or
  /// workspace has the file open it keeps its log, and nobody waits.
  public static let truncate = WorkspaceShutdownFlag(rawValue: 1)
  /// Compacts the file as well.
  public static let vacuum = WorkspaceShutdownFlag(rawValue: 2)
}

/// One open file of entities and dictionaries, with its transactions and observers. `SQLiteWorkspace` is the one there is.
public protocol Workspace: Queryable, AnyObject, Sendable {
  /// How `shutdown` leaves the file.
  typealias ShutdownFlag = WorkspaceShutdownFlag
  /// A transaction's closure.
  typealias ChangesHandler = (_ transactionContext: TransactionContext) -> Void
  /// Told whether a transaction committed.
  typealias CompletionHandler = (_ success: Bool) -> Void
  /// A subscription; releasing it cancels.
  typealias Subscription = WorkspaceSubscription

  /// Queues a transaction. See ``SQLiteWorkspace/performChanges(_:changesHandler:completionHandler:)``.
  func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: sending @escaping ChangesHandler,
    completionHandler: sending CompletionHandler?)

  /// Ends the use of the file. See ``SQLiteWorkspace/shutdown(flags:completion:)``.
  func shutdown(flags: ShutdownFlag, completion: (@Sendable () -> Void)?)

  /// What the parts of this package share.
  var _core: _WorkspaceCore { get }
}

/// Hides the parts that the modules of this package share from their users.
public struct _WorkspaceCore: Sendable {
  package let core: WorkspaceCore
}

extension Workspace {
  package var core: WorkspaceCore { _core.core }

  /// Queues a transaction whose outcome nobody asks for.
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: sending @escaping ChangesHandler
  ) {
    performChanges(transactionalObjectTypes, changesHandler: changesHandler, completionHandler: nil)
  }

  /// Runs a transaction; true when it committed.
  @discardableResult
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: sending @escaping ChangesHandler
  ) async -> Bool {
    let changes = Sent(changesHandler)
    return await withCheckedContinuation { continuation in
      performChanges(transactionalObjectTypes) {
        changes.value($0)
      } completionHandler: {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Blocks until everything that was accepted is committed and the file is closed.
  public func shutdown(flags: ShutdownFlag) { shutdown(flags: flags, completion: nil) }

  /// Blocks until everything that was accepted is committed and the file is closed.
  public func shutdown() { shutdown(flags: [], completion: nil) }

  /// Closes in the background, and tells `completion`.
  public func shutdown(completion: (@Sendable () -> Void)?) { shutdown(flags: [], completion: completion) }

  /// Returns when everything that was accepted is committed and the file is closed.
  public func shutdown() async { await shutdown(flags: []) }

  /// Returns when everything that was accepted is committed and the file is closed.
  public func shutdown(flags: ShutdownFlag) async {
    await withCheckedContinuation { continuation in shutdown(flags: flags) { continuation.resume() } }
  }
}

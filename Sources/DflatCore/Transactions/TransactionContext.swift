package import DflatSQLite
package import DflatSupport

/// The context that a transaction's closure uses. It is valid on the closure's thread until the closure returns.
///
///     try workspace.transactAndWait { txn in
///       txn.dictionary["balance"] = 10
///       if tooMuch { txn.abort() }
///     }
public final class TransactionContext {
  enum State { case running, aborted, finished }

  package let workspace: WorkspaceIdentity
  package let number = SerialNumber()
  private let access: any TransactionAccess
  /// The lanes of the declared types. There are few of them, so a list is faster than a set.
  package let declaredLanes: [Lane]
  /// The states that participants keep for this transaction.
  package var staged = StatesByClass()
  /// The time at which the transaction reads values that expire.
  package var time = FixedTime()
  private(set) var state = State.running
  private(set) var failure: WorkspaceError?
  /// True once the transaction holds the write token. From then on, it is part of a group, or has failed.
  private(set) var holdsWriteToken: Bool
  private var group: Group?
  /// True if undoing the transaction must preserve earlier changes in the group.
  var hasSavepoint = false
  /// The view that the closure reads before it holds the write token.
  private var earlyView: Snapshot?
  /// The commit that `earlyView` shows. If another process changes a declared type after that commit, the transaction
  /// fails with `.conflict`.
  private var readAt: UInt64?
  /// True if the transaction failed because another process changed what it had read. Its error alone doesn't show
  /// this: the closure may throw the `.conflict` of another transaction.
  private(set) var hasConflict = false

  init(workspace: WorkspaceIdentity, access: any TransactionAccess, declaring lanes: [Lane], holdsWriteToken: Bool) {
    self.workspace = workspace
    self.access = access
    self.declaredLanes = lanes
    self.holdsWriteToken = holdsWriteToken
    if holdsWriteToken { join() }
  }

  /// Undoes the transaction: nothing that it did before this call, or does after it, has any effect.
  ///
  /// - Returns: True the first time; false if the transaction was already aborted or is over.
  @discardableResult
  public func abort() -> Bool {
    guard state == .running else { return false }
    state = .aborted
    staged = StatesByClass()
    return true
  }

  /// Returns the open group, and waits for the write token on the first call. Every read and write through the
  /// transaction calls this first.
  package func joinedGroup() throws -> Group {
    try requireRunning()
    if let group {
      if let lost = group.lostError(path: workspace.path) {
        failure = lost
        throw lost
      }
      return group
    }
    leaveEarlyView()
    access.waitForWriteToken()
    holdsWriteToken = true
    join()
    if let failure { throw failure }
    guard let group else { preconditionFailure("A transaction that joined no group must have failed.") }
    return group
  }

  /// The group that the transaction has joined, if any.
  package var currentGroup: Group? { group }

  /// Throws if the transaction has failed, was aborted, or is over.
  package func requireRunning() throws {
    if workspace.isForked { throw workspace.forkError }
    if let failure { throw failure }
    switch state {
    case .aborted: throw WorkspaceError(.aborted, "The transaction was aborted.", path: workspace.path)
    case .finished:
      throw WorkspaceError(
        .aborted, "The transaction is over; use its context only inside its closure.", path: workspace.path)
    case .running: break
    }
  }

  /// Runs queries for declared types. Returns nil while there is no file.
  ///
  /// Once the transaction holds the write token, queries run on the group's connection, which shows the transaction's
  /// own writes. Until then they run on a view of the transaction's own, and all see the same commit. No other
  /// transaction of this process changes a declared type meanwhile, because this one is first in its lanes.
  ///
  /// Inlinable, with a part that isn't generic: participants call it for every query.
  @inlinable
  package func read<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    guard let view = try viewToRead() else { return nil }
    do {
      let result = try body(view.connection, view.commitNumber)
      try view.connection.requireUnchangedFile()
      return result
    } catch {
      noteQueryFailure(error)
      throw error
    }
  }

  /// Notes the error of a query in the group, if the transaction has joined one, and in the transaction.
  @usableFromInline
  func noteQueryFailure(_ error: any Error) {
    group?.note(error)
    noteReadFailure(error)
  }

  /// Returns the connection that queries run on, and the commit that it shows; nil while there is no file.
  @usableFromInline
  func viewToRead() throws -> (connection: Connection, commitNumber: UInt64)? {
    try requireRunning()
    if holdsWriteToken {
      let group = try joinedGroup()
      return (group.connection, group.commitNumber)
    }
    let view = earlyView ?? access.pinnedView()
    earlyView = view
    switch view.state {
    case .empty:
      readAt = 0
      return nil
    case .failed(let error):
      fail(error)
      throw error
    case .pinned(let reader, let number):
      readAt = number
      return (reader.connection, number)
    }
  }

  /// Runs queries for the closure, and fails the transaction if the file can't be read. The closure may take the data
  /// for absent and go on, so an error alone isn't enough.
  @inlinable
  package func reading<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch {
      noteReadFailure(error)
      throw error
    }
  }

  @usableFromInline
  func noteReadFailure(_ error: any Error) {
    guard let failure = WorkspaceError.failureToRead(error, path: workspace.path) else { return }
    leaveEarlyView(isBroken: true)
    fail(failure)
  }

  /// Throws `.conflict` if another process changed a declared type after the transaction read it.
  ///
  /// - Parameters:
  ///   - published: The number of the published commit.
  ///   - participants: The workspace's participants.
  func requireNoConflict(published: UInt64, participants: @autoclosure () -> [any Participant]) throws {
    guard let readAt else { return }
    // A lower published number means that an older file has replaced this one.
    let isOutdated = readAt > published || participants().contains { $0.hasExternalChanges(since: readAt, for: self) }
    if isOutdated {
      hasConflict = true
      throw WorkspaceError(
        .conflict, "Another process changed what a transaction on '\(workspace.path)' had read; run it again.",
        path: workspace.path)
    }
  }

  /// Gives back the reader of the early view.
  private func leaveEarlyView(isBroken: Bool = false) {
    if case .pinned(let reader, _)? = earlyView?.state { access.readers.giveBack(reader, isBroken: isBroken) }
    earlyView = nil
  }

  /// Joins the open group, or opens one. A failure becomes the transaction's.
  private func join() {
    do { group = try access.begin(self) } catch {
      failure = .wrapping(error, path: workspace.path, doing: "Beginning a transaction on")
    }
  }

  /// Ends the closure's use of the context. Returns the error that ends the transaction; nil if its changes can be
  /// applied.
  func finish(throwing error: (any Error)?) -> (any Error)? {
    defer { state = .finished }
    if workspace.isForked { return workspace.forkError }
    leaveEarlyView()
    if let failure { return failure }
    if let error = error as? SQLiteError { return WorkspaceError.wrapping(error, path: workspace.path, doing: "Using") }
    if let error { return error }
    return state == .aborted ? WorkspaceError(.aborted, "The transaction was aborted.", path: workspace.path) : nil
  }

  /// Releases what a finished transaction holds. It may hold the last references to users' objects.
  func release() {
    let (staged, group) = (staged, group)
    self.staged = StatesByClass()
    self.group = nil
    withExtendedLifetime((staged, group)) {}
  }

  /// Makes the transaction fail with this error, whatever its closure does, unless it has already ended.
  package func fail(_ error: WorkspaceError) {
    if state == .running { failure = failure ?? error }
  }
}

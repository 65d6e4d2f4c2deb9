/// What a transaction's closure works with. It is good on the closure's thread until the closure returns.
///
///     try workspace.transactAndWait { txn in
///       txn.dictionary["balance"] = 10
///       if tooMuch { txn.abort() }
///     }
public final class TransactionContext {
  enum State { case running, aborted, finished }

  package let core: WorkspaceCore
  /// The lanes of the types that were declared.
  package let declared: Set<Lane>
  /// What participants keep for this transaction, by their record kind.
  package var staged = ParticipantStates()
  /// The commit number that was published when the closure began.
  let beganAt: UInt64
  private(set) var state = State.running
  private(set) var failure: WorkspaceError?
  /// True once the baton was asked for: from then on the transaction is part of a group, or failed.
  private(set) var holdsBaton: Bool
  private var group: Group?
  /// False for a first member: there is nothing in the SQLite transaction that its undoing has to spare.
  var hasSavepoint = false
  /// True when something was read from a view older than the baton; another process's change to a declared type then
  /// ends the transaction with `.conflict`.
  package private(set) var hasReadBeforeBaton = false

  init(core: WorkspaceCore, declared: Set<Lane>, holdsBaton: Bool) {
    self.core = core
    self.declared = declared
    self.holdsBaton = holdsBaton
    self.beganAt = core.publication.published
    if holdsBaton { join() }
  }

  /// Undoes the transaction: nothing of it, before or after this call, has any effect.
  ///
  /// - Returns: true the first time, false when the transaction was aborted or is over.
  @discardableResult
  public func abort() -> Bool {
    guard state == .running else { return false }
    state = .aborted
    staged = ParticipantStates()
    return true
  }

  /// The open group, with the baton in hand: what every read and write through the transaction asks for first.
  /// It waits for the baton at the first call.
  package func joinedGroup() throws -> Group {
    if let failure { throw failure }
    switch state {
    case .aborted: throw WorkspaceError(.aborted, "The transaction was aborted.", path: core.path)
    case .finished:
      throw WorkspaceError(
        .aborted, "The transaction is over; use its context inside its closure alone.", path: core.path)
    case .running: break
    }
    if let group {
      if let lost = group.lostError(path: core.path) {
        failure = lost
        throw lost
      }
      return group
    }
    core.pipeline.waitForBaton()
    holdsBaton = true
    join()
    if let failure { throw failure }
    guard let group else { preconditionFailure("A transaction that joined no group has failed.") }
    return group
  }

  /// The group, if the transaction has joined one.
  package var currentGroup: Group? { group }

  /// Says that the transaction read from a view that another process may have moved on from.
  package func noteReadBeforeBaton() {
    if group == nil { hasReadBeforeBaton = true }
  }

  private func join() {
    do { group = try core.pipeline.writer.begin(self) } catch {
      failure = .wrapping(error, path: core.path, doing: "Beginning a transaction on")
    }
  }

  /// Ends the closure's use. What it leaves behind is decided: a failure, or a group to apply to.
  func finish(throwing error: (any Error)?) -> (any Error)? {
    defer { state = .finished }
    if let failure { return failure }
    if let error { return error }
    return state == .aborted ? WorkspaceError(.aborted, "The transaction was aborted.", path: core.path) : nil
  }

  func fail(_ error: WorkspaceError) { failure = failure ?? error }
}

/// The order of the transactions that declared one type.
package enum Lane: Hashable, Sendable {
  case type(ObjectIdentifier)
  /// The lane of the transactions that declare no type.
  case undeclared
  /// The one lane of a `.serial` workspace.
  case serial
}

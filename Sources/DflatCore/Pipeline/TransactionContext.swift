package import DflatSQLite

/// What a transaction's closure works with. It is good on the closure's thread until the closure returns.
///
///     try workspace.transactAndWait { txn in
///       txn.dictionary["balance"] = 10
///       if tooMuch { txn.abort() }
///     }
public final class TransactionContext {
  enum State { case running, aborted, finished }

  package let core: WorkspaceCore
  /// The tables of the types that were declared, by their numbers: few, so a list is faster than a set.
  package let declaredTables: [Int]
  /// What participants keep for this transaction, by their record kind.
  package var staged = ParticipantStates()
  private(set) var state = State.running
  private(set) var failure: WorkspaceError?
  /// True once the baton was asked for: from then on the transaction is part of a group, or failed.
  private(set) var holdsBaton: Bool
  private var group: Group?
  /// False for a first member: there is nothing in the SQLite transaction that its undoing has to spare.
  var hasSavepoint = false
  /// What the closure reads before it has the baton, and the commit that it shows. Another process's change to a declared
  /// type after that commit ends the transaction with `.conflict`.
  private var earlyView: Snapshot?
  private var readAt: UInt64?

  init(core: WorkspaceCore, types: [Any.Type], holdsBaton: Bool) {
    self.core = core
    self.declaredTables = types.compactMap { ($0 as? any Atom.Type)?._entity.number }
    self.holdsBaton = holdsBaton
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
    try requireRunning()
    if let group {
      if let lost = group.lostError(path: core.path) {
        failure = lost
        throw lost
      }
      return group
    }
    leaveEarlyView()
    core.pipeline.waitForBaton()
    holdsBaton = true
    join()
    if let failure { throw failure }
    guard let group else { preconditionFailure("A transaction that joined no group has failed.") }
    return group
  }

  /// The group, if the transaction has joined one.
  package var currentGroup: Group? { group }

  /// Throws when the transaction has failed, was aborted, or is over.
  func requireRunning() throws {
    if core.isForked { throw core.forkError }
    if let failure { throw failure }
    switch state {
    case .aborted: throw WorkspaceError(.aborted, "The transaction was aborted.", path: core.path)
    case .finished:
      throw WorkspaceError(
        .aborted, "The transaction is over; use its context inside its closure alone.", path: core.path)
    case .running: break
    }
  }

  /// Runs queries of declared types: on the group's connection, which shows what the transaction has written, or, before it
  /// has the baton, on a view of its own. Nil while there is no file.
  ///
  /// Until the baton is taken all reads see one commit. Nobody in this process changes a declared type meanwhile, because
  /// the transaction is first in its lanes.
  package func read<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    try requireRunning()
    if holdsBaton {
      let group = try joinedGroup()
      return try reading { try group.reading { try body($0, group.commitNumber) } }
    }
    // From before the view on, so that it learns of every foreign change after it.
    _ = EntityStore.of(core)
    let view = earlyView ?? core.pinnedView()
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
      return try reading { try body(reader.connection, number) }
    }
  }

  /// Runs queries for the closure. If the file can't be read, the closure may take what it asks for as absent and go on with
  /// that, so the transaction fails.
  package func reading<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch {
      let wrapped = WorkspaceError.wrapping(error, path: core.path, doing: "Reading")
      if error is SQLiteError ? wrapped.code != .tooLarge : wrapped.code == .corrupt {
        leaveEarlyView(isBroken: true)
        fail(wrapped)
      }
      throw error
    }
  }

  /// Throws when another process changed what was declared after it was read.
  func requireNoConflict() throws {
    guard let readAt else { return }
    // A lower number is one of an older file that took the place of this one.
    let isOutdated =
      readAt > core.publication.published
      || core.publication.allParticipants.contains { $0.hasForeignChanges(since: readAt, for: self) }
    if isOutdated {
      throw WorkspaceError(
        .conflict, "Another process changed what a transaction on '\(core.path)' had read; run it again.",
        path: core.path)
    }
  }

  private func leaveEarlyView(isBroken: Bool = false) {
    if case .pinned(let reader, _)? = earlyView?.state { core.readers.giveBack(reader, isBroken: isBroken) }
    earlyView = nil
  }

  /// Throws unless the transaction runs, and the type was declared when it was called.
  package func requireDeclared(_ type: any Atom.Type) throws {
    try requireRunning()
    if declaredTables.contains(type._entity.number) { return }
    throw WorkspaceError(
      .undeclaredType, "A transaction on '\(core.path)' uses \(type), which it did not declare; list it in its call.",
      path: core.path)
  }

  private func join() {
    do { group = try core.pipeline.writer.begin(self) } catch {
      failure = .wrapping(error, path: core.path, doing: "Beginning a transaction on")
    }
  }

  /// Ends the closure's use. What it leaves behind is decided: a failure, or a group to apply to.
  func finish(throwing error: (any Error)?) -> (any Error)? {
    defer { state = .finished }
    if core.isForked { return core.forkError }
    leaveEarlyView()
    if let failure { return failure }
    if let error = error as? SQLiteError { return WorkspaceError.wrapping(error, path: core.path, doing: "Using") }
    if let error { return error }
    return state == .aborted ? WorkspaceError(.aborted, "The transaction was aborted.", path: core.path) : nil
  }

  /// The transaction ends with this error, whatever its closure does, unless it has ended otherwise.
  package func fail(_ error: WorkspaceError) {
    if state == .running { failure = failure ?? error }
  }
}

/// The order of the transactions that declared one type.
package enum Lane: Hashable, Sendable {
  /// A table, by its number: types of one table share it.
  case table(Int)
  case type(ObjectIdentifier)
  /// The lane of the transactions that declare no type.
  case undeclared
  /// The one lane of a `.serial` workspace.
  case serial

  init(of type: Any.Type) {
    self = (type as? any Atom.Type).map { .table($0._entity.number) } ?? .type(ObjectIdentifier(type))
  }
}

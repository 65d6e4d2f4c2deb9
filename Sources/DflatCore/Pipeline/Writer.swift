import DflatSQLite

/// The write connection and the open group. Used by the holder of the baton alone, which is what makes it safe to share.
package final class Writer: @unchecked Sendable {  // guarded by the baton
  private let file: DatabaseFile
  private let publication: Publication
  private let readers: ReaderPool
  private unowned let core: WorkspaceCore
  private var connection: Connection?
  private(set) var group: Group?
  /// The newest commit of this connection, with the content's version after it.
  private var ownCommit: (number: UInt64, version: UInt32)?
  let policy: GroupPolicy
  private var checkpointer: Checkpointer

  init(core: WorkspaceCore, file: DatabaseFile, publication: Publication, readers: ReaderPool) {
    self.core = core
    self.file = file
    self.publication = publication
    self.readers = readers
    self.policy = core.options.groupPolicy
    self.checkpointer = Checkpointer(file: file)
  }

  /// The write connection, opened at its first use, and anew after a failure. No group is open on it.
  func open() throws -> Connection {
    if let connection {
      if !connection.hasFailed { return connection }
      // Now, whoever still has the group that failed.
      connection.close()
      self.connection = nil
    }
    let opened = try file.openWriter()
    connection = opened
    ownCommit = nil
    core.didOpenFile()
    return opened
  }

  // MARK: Members

  /// Starts a member of the group: its savepoint follows the plain writes that were accepted before (A5).
  func begin(_ transaction: TransactionContext) throws -> Group {
    let group = try openGroup()
    do { try drain(into: group) } catch {
      // Plain writes that can't be applied are no one's part of the group: it fails, and they are reported with it.
      fail(error)
      throw error
    }
    do {
      try transaction.requireNoConflict()
      transaction.hasSavepoint = group.hasChanges
      if transaction.hasSavepoint { try group.connection.statement(.savepoint).run() }
      Failpoint.memberBegan.reach(in: core)
    } catch {
      if !group.connection.isInTransaction { fail(error) }
      throw error
    }
    return group
  }

  /// Ends a member: applies what it staged, or undoes what it wrote. The error that it ends with, if any.
  func end(_ transaction: TransactionContext, error: (any Error)?) -> (any Error)? {
    guard let group, transaction.currentGroup === group else { return error }
    if let lost = group.lostError(path: core.path) {
      fail(lost)
      return lost
    }
    do {
      if let error {
        try undo(transaction, in: group)
        return error
      }
      do {
        for participant in publication.allParticipants { try participant.apply(transaction, to: group) }
      } catch {
        try undo(transaction, in: group)
        if self.group == nil || group.connection.isInTransaction { return wrapped(error) }
        throw error
      }
      if transaction.hasSavepoint { try group.connection.statement(.release).run() }
      for participant in publication.allParticipants { participant.adopt(transaction, into: group) }
      return nil
    } catch {
      // SQLite rolled everything back, or can't: the group is lost, with everyone in it.
      fail(error)
      return wrapped(error)
    }
  }

  /// Undoes what a member wrote. Of a group in which nothing else was written nothing is left to commit.
  private func undo(_ transaction: TransactionContext, in group: Group) throws {
    if transaction.hasSavepoint { return try group.rollBackSavepoint() }
    group.connection.knowledge = nil
    guard group.connection.isInTransaction else { return }
    try group.connection.statement(.rollback).run()
    self.group = nil
    publication.conclude(group, with: nil, for: core)
  }

  /// Begins a group for the plain writes that wait, if there are any, and applies them.
  func flush() throws {
    guard group != nil || publication.allParticipants.contains(where: { $0.hasPendingWrites }) else { return }
    do { try drain(into: try openGroup()) } catch {
      let wrapped = wrapped(error)
      fail(error)
      for participant in publication.allParticipants { participant.failPendingWrites(because: wrapped) }
      throw wrapped
    }
  }

  private func drain(into group: Group) throws {
    for participant in publication.allParticipants where participant.hasPendingWrites {
      try participant.drain(into: group)
    }
  }

  // MARK: Groups

  private func openGroup() throws -> Group {
    if let group {
      guard let lost = group.lostError(path: core.path) else { return group }
      fail(lost)
    }
    let connection = try open()
    let before = publication.published
    do {
      try connection.statement(.beginImmediate).run()
      let current: UInt64
      if let own = ownCommit, own.version == connection.contentVersion {
        // Nobody committed since this connection did.
        current = own.number
      } else {
        current = try ChangeLog.commitNumber(on: connection)
      }
      // Other processes' commits first: from here on the caches are exact until the COMMIT.
      try publication.catchUp(to: current, from: before, on: connection, for: core)
      let number = try CommitNumber.next(after: current, path: core.path)
      let opened = Group(connection: connection, commitNumber: number)
      group = opened
      return opened
    } catch {
      rollBack(connection)
      throw wrapped(error)
    }
  }

  /// Commits the open group, if there is one, publishes it and tells its members.
  func close() {
    guard let group else { return }
    if let lost = group.lostError(path: core.path) { return fail(lost) }
    do {
      try drain(into: group)
      guard group.hasChanges else {
        group.connection.knowledge = nil
        try group.connection.statement(.rollback).run()
        self.group = nil
        return publication.conclude(group, with: nil, for: core)
      }
      for participant in publication.allParticipants { try participant.finish(group) }
      try ChangeLog.append(group, changes: changeRecords(of: group))
    } catch {
      return fail(error)
    }
    do {
      Failpoint.beforeCommit.reach(in: core)
      try publication.publish(group, for: core) {
        for participant in publication.allParticipants { participant.prepare(group) }
        try group.connection.statement(.commit).run()
      }
      Failpoint.publishedBeforeTouch.reach(in: core)
    } catch {
      return resolve(group, after: error)
    }
    self.group = nil
    ownCommit = group.connection.contentVersion.map { (group.commitNumber, $0) }
    file.side.touch()
    checkpointIfDue(group.connection)
  }

  private func changeRecords(of group: Group) -> [UInt8] {
    var writer = RecordWriter()
    for participant in publication.allParticipants {
      guard let record = participant.changeRecord(for: group) else { continue }
      writer.write(participant.recordKind)
      writer.write(counted: record)
    }
    return writer.bytes
  }

  // MARK: Failure

  /// The open group can't be committed: nothing of it is in the file, and everyone in it is told.
  private func fail(_ error: any Error) {
    guard let group else { return }
    rollBack(group.connection)
    publication.conclude(group, with: wrapped(error), for: core)
  }

  /// Undoes whatever is open on a connection, the group too.
  private func rollBack(_ connection: Connection) {
    group = nil
    connection.knowledge = nil
    guard connection.isInTransaction else { return }
    do { try connection.statement(.rollback).run() } catch {
      // Closing it rolls back too, and lets go of the file's lock, whoever still has the group.
      connection.close()
      if self.connection === connection { self.connection = nil }
    }
  }

  /// A COMMIT failed. Unless SQLite says that the transaction is still open, it may be in the file all the same: start
  /// over with new connections, and look for the group's row in the change log before anyone is told anything.
  private func resolve(_ group: Group, after error: any Error) {
    if let error = error as? SQLiteError, error.isBusy, group.connection.isInTransaction { return fail(error) }
    rollBack(group.connection)
    connection = nil
    checkpointer.close()
    readers.dropIdle()
    do {
      let connection = try open()
      try connection.statement(.beginImmediate).run()
      if try ChangeLog.holds(group, on: connection) {
        rollBack(connection)
        publication.publishRecovered(group, for: core)
        return file.side.touch()
      }
      try ChangeLog.overwriteFailedCommit(on: connection)
      try publication.reset(to: try ChangeLog.commitNumber(on: connection), on: connection, for: core)
      try connection.statement(.commit).run()
      publication.conclude(group, with: wrapped(error), for: core)
    } catch let second {
      if let connection { rollBack(connection) }
      connection = nil
      publication.conclude(group, with: outcome(after: error, then: second), for: core)
    }
  }

  /// What is told when the file can't be asked. A full disk cut the commit's last page short, so it is in no one's way.
  private func outcome(after error: any Error, then second: any Error) -> WorkspaceError {
    if let error = error as? SQLiteError, error.isFull { return wrapped(error) }
    return WorkspaceError(
      .outcomeUnknown,
      "A commit to '\(core.path)' failed, and whether it is in the file can't be read back; "
        + "read the values again when the disk works.",
      path: core.path, sqlite: (error as? SQLiteError) ?? (second as? SQLiteError), underlying: second)
  }

  private func wrapped(_ error: any Error) -> WorkspaceError {
    .wrapping(error, path: core.path, doing: "Writing to")
  }

  // MARK: Between groups

  private func checkpointIfDue(_ connection: Connection) {
    guard checkpointer.isDue(walPages: connection.walPages) else { return }
    readers.releaseViews()
    do { _ = try runCheckpoint(connection) } catch {
      rollBack(connection)
      core.log.warning("A checkpoint failed; the next commit tries again.", metadata: ["error": "\(error)"])
    }
  }

  /// Moves the write-ahead log into the file: all of it, if the readers let go of older views in time. The caller made
  /// sure that no group is open.
  func checkpoint(within patience: Duration) throws {
    let deadline = ContinuousClock.now + patience
    while true {
      readers.releaseViews()
      let connection = try open()
      do { if try runCheckpoint(connection) || ContinuousClock.now >= deadline { return } } catch {
        rollBack(connection)
        throw error
      }
      Threads.sleep(microseconds: 1_000)
    }
  }

  /// True when nothing is left in the log.
  private func runCheckpoint(_ connection: Connection) throws -> Bool {
    Failpoint.checkpointBegan.reach(in: core)
    defer { Failpoint.checkpointEnded.reach(in: core) }
    return try checkpointer.run(excludingWritersWith: connection)
  }

  func closeCheckpointer() { checkpointer.close() }

  /// Closes the connections.
  func retire() {
    checkpointer.close()
    // An escaped transaction context may hold it for longer.
    connection?.close()
    connection = nil
  }
}

import DflatSQLite

/// Owns the write connection and the open group. Only the holder of the write token uses it, so it needs no lock.
package final class Writer: @unchecked Sendable {  // guarded by the write token
  let file: DatabaseFile
  let publication: Publication
  private let views: PublishedViews
  private let readers: ReaderPool
  private let log: WorkspaceLog
  /// Nil unless commits are measured.
  private let meter: CommitMeter?
  unowned let workspace: WorkspaceIdentity
  /// Nil unless the workspace is replicated.
  let replica: Replica?
  private var connection: Connection?
  private(set) var group: Group?
  /// The connection's admission generation when the file's membership was last checked.
  var membershipGeneration = 0
  /// This connection's newest commit, and the content version after it.
  var ownCommit: (number: UInt64, version: UInt32)?
  let policy: GroupPolicy
  private var checkpointer: Checkpointer

  init(
    workspace: WorkspaceIdentity, file: DatabaseFile, publication: Publication, views: PublishedViews,
    policy: GroupPolicy, log: WorkspaceLog, meter: CommitMeter?, replica: Replica?
  ) {
    self.workspace = workspace
    self.replica = replica
    self.file = file
    self.publication = publication
    self.views = views
    self.readers = views.readers
    self.policy = policy
    self.log = log
    self.meter = meter
    self.checkpointer = Checkpointer(file: file)
  }

  /// Returns the write connection. Opens it on first use, and again after a failure. No group is open on it.
  func open() throws -> Connection {
    if let connection {
      if !connection.hasFailed { return connection }
      // Close it now, even if other objects still refer to the failed group.
      connection.close()
      self.connection = nil
    }
    let opened = try file.openWriter()
    try requireMembership(of: opened)
    membershipGeneration = opened.admissionGeneration
    connection = opened
    ownCommit = nil
    views.didOpenFile(of: workspace)
    return opened
  }

  // MARK: Members

  /// Begins a member of the group. Applies the plain writes that were accepted before it first (A5).
  func begin(_ transaction: TransactionContext) throws -> Group {
    let group = try openGroup()
    do { try drain(into: group) } catch {
      // Plain writes belong to no member. If they can't be applied, the group fails, and they are reported with it.
      fail(error)
      throw error
    }
    do {
      try transaction.requireNoConflict(published: publication.published, participants: publication.allParticipants)
      transaction.hasSavepoint = group.hasChanges
      if transaction.hasSavepoint { try group.connection.open(.member) }
      Failpoint.memberBegan.reach(in: workspace)
    } catch {
      if !group.connection.isInTransaction { fail(error) }
      throw error
    }
    return group
  }

  /// Ends a member: applies its staged changes, or undoes its writes if there is an error. Returns the error that the
  /// member ends with.
  func end(_ transaction: TransactionContext, error: (any Error)?) -> (any Error)? {
    guard let group, transaction.currentGroup === group else { return error }
    if let lost = group.lostError(path: workspace.path) {
      fail(lost)
      return lost
    }
    do {
      // Undo the member if its closure failed.
      if let error {
        try undo(transaction, in: group)
        return error
      }
      // Apply its staged changes, and undo the member if that fails.
      do {
        for participant in publication.allParticipants { try participant.apply(transaction, to: group) }
      } catch {
        try undo(transaction, in: group)
        if self.group == nil || group.connection.isInTransaction { return wrapped(error) }
        throw error
      }
      // The member succeeded. Its changes become the group's.
      if transaction.hasSavepoint { try group.connection.release(.member) }
      for participant in publication.allParticipants { participant.merge(transaction, into: group) }
      return nil
    } catch {
      // SQLite rolled back the whole transaction, or can't undo the member: the group fails with all of its members.
      fail(error)
      return wrapped(error)
    }
  }

  /// Undoes a member's writes. If the group has no other writes, this also ends the group, because nothing is left to
  /// commit.
  private func undo(_ transaction: TransactionContext, in group: Group) throws {
    if transaction.hasSavepoint { return try group.rollBackSavepoint() }
    let isLost = !group.connection.isInTransaction
    try group.connection.rollBack()
    if isLost { return }
    endUnchanged(group)
    release(group)
  }

  /// Ends a group that has nothing to commit, and that is rolled back.
  private func endUnchanged(_ group: Group) {
    self.group = nil
    let error = replica.flatMap { staleness(of: group, with: $0) }
    let requeues = error.map { $0.code == .conflict || postponesPlainWrites(after: $0) } ?? false
    publication.conclude(group, with: error, requeuesPlainWrites: requeues, for: workspace)
  }

  /// Applies the waiting plain writes, if there are any, to the open group or a new one.
  func flush() throws {
    guard group != nil || publication.hasPendingWrites else { return }
    do { try drain(into: try openGroup()) } catch {
      let wrapped = wrapped(error)
      fail(error)
      if postponesPlainWrites(after: wrapped) { throw wrapped }
      for participant in publication.allParticipants { participant.failPendingWrites(because: wrapped) }
      throw wrapped
    }
  }

  /// Applies the waiting plain writes of all participants.
  private func drain(into group: Group) throws {
    for participant in publication.allParticipants where participant.hasPendingWrites {
      try participant.drain(into: group)
      // Without a transaction, each later statement would commit by itself.
      if let lost = group.lostError(path: workspace.path) { throw lost }
    }
  }

  // MARK: Groups

  /// Returns the open group, or begins one.
  private func openGroup() throws -> Group {
    if let group {
      guard let lost = group.lostError(path: workspace.path) else { return group }
      fail(lost)
    }
    let connection = try open()
    do {
      let current = try replica.map { try beginWithTurn($0, on: connection) } ?? begin(on: connection)
      // Follow other processes' commits first. From here until the COMMIT, the caches match the file. Nobody can commit
      // now: if the caches show a newer commit, the file was replaced.
      while try !publication.catchUp(to: current, from: publication.position, on: connection, for: workspace) {}
      // Another content without another number: another tool has changed the file, and perhaps its lists.
      let isEdited = ownCommit?.number == current && ownCommit?.version != connection.contentVersion
      connection.catalogNumber = isEdited ? nil : publication.catalogNumber(at: current)
      let number = try CommitNumber.next(after: current, path: workspace.path)
      let opened = Group(connection: connection, commitNumber: number)
      if replica != nil { opened.recorder = try ChangeRecorder(on: connection, excluding: Replica.localTables) }
      group = opened
      return opened
    } catch {
      rollBack(connection)
      throw wrapped(error)
    }
  }

  /// Begins a write transaction. Returns the number of the file's newest commit.
  func begin(on connection: Connection) throws -> UInt64 {
    try connection.beginImmediate()
    // If nobody else has committed since this connection's last commit, it is that one.
    if let own = ownCommit, own.version == connection.contentVersion { return own.number }
    let number = try ChangeLog.commitNumber(on: connection)
    try requireUnchangedMembership(of: connection)
    return number
  }

  /// Commits the open group, if there is one, publishes it, and notifies its members.
  func commitGroup() {
    guard let group else { return }
    commit(group)
    // What is released may wait for the callbacks that this thread has left for its end.
    if ThreadContext.hasLeftWork {
      nonisolated(unsafe) let group = group  // nobody else uses it any more
      if ThreadContext.leave({ [self] in release(group) }, for: workspace) { return }
    }
    release(group)
  }

  /// Releases what a group holds after it has ended, under no lock. The deinitializers of users' objects that run here
  /// must not wait for the write token, which this thread holds (A11).
  private func release(_ group: Group) { ThreadContext.with(workspace, .encoding) { group.release() } }

  /// Commits a group, with its transactions and plain writes: from here on they are in the file.
  private func commit(_ group: Group) {
    if let lost = group.lostError(path: workspace.path) { return fail(lost) }
    let began = meter?.now
    // Complete the group: the last plain writes, the participants' rows, and the row of the change log.
    do {
      try drain(into: group)
      guard group.hasChanges else {
        try group.connection.rollBack()
        return endUnchanged(group)
      }
      for participant in publication.allParticipants { try participant.finish(group) }
      let changes = changeRecords(of: group)
      try ChangeLog.append(
        commitNumber: group.commitNumber, writer: group.writer, changes: changes, on: group.connection)
      if let recorder = group.recorder {
        guard let record = try record(of: group, changes: changes, by: recorder) else {
          return fail(mixedChanges, requeuesPlainWrites: true)
        }
        group.record = record
      }
    } catch {
      return fail(error)
    }
    // Give a replicated commit its place in the cluster's log, before it is anywhere else.
    if let replica, let record = group.record, !append(record, of: group, to: replica) { return }
    // Commit and publish.
    do {
      Failpoint.beforeCommit.reach(in: workspace)
      let isPublished = try publication.publish(group, for: workspace) {
        for participant in publication.allParticipants { participant.prepare(group) }
        try group.connection.commit()
      }
      guard isPublished else { return abandonReplacedFile(with: group) }
      if let meter, let began { meter.measure(group, since: began, for: workspace) }
      Failpoint.publishedBeforeTouch.reach(in: workspace)
    } catch {
      return resolve(group, after: error)
    }
    // Wake other processes, and run a checkpoint if one is due.
    self.group = nil
    ownCommit = group.connection.contentVersion.map { (group.commitNumber, $0) }
    group.connection.catalogNumber = nil
    file.side.touch()
    checkpointIfDue(group.connection)
  }

  /// Returns the changes for the group's row of the change log: the participants' records, each with kind and length.
  private func changeRecords(of group: Group) -> [UInt8] {
    var writer = RecordWriter()
    for participant in publication.allParticipants {
      guard let record = participant.changeRecord(for: group) else { continue }
      writer.write(type(of: participant).recordKind)
      writer.write(counted: record)
    }
    return writer.bytes
  }

  // MARK: Failure

  /// Rolls back the open group, and notifies its members. Nothing of the group is in the file.
  ///
  /// - Parameter requeuesPlainWrites: True if the group's plain writes wait for another group instead of failing.
  func fail(_ error: any Error, requeuesPlainWrites: Bool = false) {
    guard let group else { return }
    rollBack(group.connection)
    publication.conclude(group, with: wrapped(error), requeuesPlainWrites: requeuesPlainWrites, for: workspace)
    release(group)
  }

  /// Fails the open group because other connections see another file at the path, or damage. The next group begins with
  /// new connections.
  private func abandonReplacedFile(with group: Group) {
    let replaced = WorkspaceError(
      .conflict,
      "'\(workspace.path)' was replaced or damaged during a transaction, which was rolled back; run it again, and check "
        + "the file.",
      path: workspace.path)
    fail(group.record == nil ? replaced : lostLocally(group, because: replaced))
    connection?.close()
    connection = nil
    checkpointer.close()
    readers.dropIdle()
  }

  /// Rolls back everything that is open on a connection, including the group.
  func rollBack(_ connection: Connection) {
    group = nil
    do { try connection.rollBack() } catch {
      // Closing the connection rolls back, too, and releases the file's lock, even if other objects still refer to the
      // group.
      connection.close()
      if self.connection === connection { self.connection = nil }
    }
  }

  /// Finds out the outcome of a failed COMMIT. Unless it failed with SQLITE_BUSY and left the transaction open, the
  /// commit may be in the file all the same. So this starts over with new connections, and looks for the group's row in
  /// the change log before it notifies anybody.
  private func resolve(_ group: Group, after error: any Error) {
    if group.record == nil, let error = error as? SQLiteError, error.isBusy, group.connection.isInTransaction {
      return fail(error)
    }
    // Start over with new connections.
    rollBack(group.connection)
    connection = nil
    checkpointer.close()
    readers.dropIdle()
    do {
      let connection = try open()
      try connection.beginImmediate()
      // If the commit is in the file, publish it.
      if try ChangeLog.writer(of: group.commitNumber, on: connection) == group.writer {
        rollBack(connection)
        publication.publishRecovered(group, for: workspace)
        return file.side.touch()
      }
      // A commit that the cluster has is applied as another machine's.
      if let record = group.record {
        rollBack(connection)
        try apply([record], on: connection)
        publication.publishRecovered(group, for: workspace)
        return
      }
      // Otherwise make sure that no crash can bring it back, and drop the caches.
      try ChangeLog.overwriteFailedCommit(on: connection)
      try publication.reset(to: try ChangeLog.commitNumber(on: connection), on: connection, for: workspace)
      try connection.commit()
      publication.conclude(group, with: wrapped(error), for: workspace)
    } catch let second {
      if let connection { rollBack(connection) }
      connection = nil
      let failure = group.record == nil ? outcome(after: error, then: second) : lostLocally(group, because: second)
      publication.conclude(group, with: failure, for: workspace)
    }
  }

  /// Returns the error for a group whose outcome can't be read from the file. After a full disk the outcome is known:
  /// the commit's last page is cut short, so the commit never takes effect.
  private func outcome(after error: any Error, then second: any Error) -> WorkspaceError {
    if let error = error as? SQLiteError, error.isFull { return wrapped(error) }
    return WorkspaceError(
      .outcomeUnknown,
      "A commit to '\(workspace.path)' failed, and the file can't be read to find out whether it contains the commit; "
        + "read the values again when the disk works.",
      path: workspace.path, sqlite: (error as? SQLiteError) ?? (second as? SQLiteError), underlying: second)
  }

  func wrapped(_ error: any Error) -> WorkspaceError {
    .wrapping(error, path: workspace.path, doing: "Writing to")
  }

  // MARK: Between groups

  /// Runs a checkpoint if one is due. A failure is only logged, because the next commit tries again.
  func checkpointIfDue(_ connection: Connection) {
    guard checkpointer.isDue(walPages: connection.walPages) else { return }
    // The callbacks don't wait for the checkpoint.
    ThreadContext.startLeftWork()
    readers.releaseViews()
    do { _ = try runCheckpoint(connection) } catch {
      rollBack(connection)
      let failure = WorkspaceError.wrapping(error, path: workspace.path, doing: "Checkpointing")
      // While another process writes, the checkpoint may have to wait for a later commit: nothing is wrong.
      log.write(
        failure.code == .busy ? .debug : .warning,
        "A checkpoint of '\(workspace.path)' failed; a later commit tries again.", about: failure, for: workspace)
    }
  }

  /// Moves the write-ahead log into the file. Repeats the checkpoint until the entire log is copied, or the patience
  /// runs out because readers keep older views. The caller makes sure that no group is open.
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

  /// Runs a checkpoint, and returns true if it copied the entire log.
  private func runCheckpoint(_ connection: Connection) throws -> Bool {
    Failpoint.checkpointBegan.reach(in: workspace)
    defer { Failpoint.checkpointEnded.reach(in: workspace) }
    return try checkpointer.run(excludingWritersWith: connection)
  }

  func closeCheckpointer() { checkpointer.close() }

  /// Closes the connections.
  func closeConnections() {
    checkpointer.close()
    // An escaped transaction context may still refer to the connection.
    connection?.close()
    connection = nil
  }
}

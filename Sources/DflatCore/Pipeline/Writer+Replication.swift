import DflatSQLite

/// The write path of a replica: a group begins with the turn, at the head of the cluster's log, and its record is in
/// that log before the file's COMMIT. Other machines' records are applied as commits of another process.
///
///     take the turn ─► apply what is missing ─► BEGIN IMMEDIATE … change-log row ─► append the record ─► COMMIT
extension Writer {
  /// Throws unless the file is the replica that the workspace expects, and makes a new file one.
  func requireMembership(of connection: Connection) throws {
    if let replica { return try replica.join(connection) }
    try requireNoMembership(of: connection)
  }

  /// Throws if another process has made the file a replica since it was opened, or has taken it out of its cluster: the
  /// commits of this process would be here only, or there only. Call it after the schema was read in a transaction.
  func requireUnchangedMembership(of connection: Connection) throws {
    guard connection.admissionGeneration != membershipGeneration else { return }
    if let replica {
      try replica.requireMembership(of: connection)
    } else {
      try requireNoMembership(of: connection)
    }
    membershipGeneration = connection.admissionGeneration
  }

  private func requireNoMembership(of connection: Connection) throws {
    if let membership = try ClusterTable.membership(on: connection) {
      throw WorkspaceError(
        .clusterMismatch,
        "'\(workspace.path)' belongs to the \(membership.engine) cluster at \(membership.location), and can't be written "
          + "without it; open it with that replication, or read-only.", path: workspace.path)
    }
  }

  /// Returns true if plain writes stay queued after an error: they wait for the cluster, and are flushed again later.
  func postponesPlainWrites(after error: WorkspaceError) -> Bool {
    guard let replica, error.code == .unavailable, !publication.isClosing else { return false }
    replica.postponeFlush()
    return true
  }

  // MARK: Groups

  /// The records that a process applies with the turn. If there are more, or a snapshot is needed, it catches up without
  /// the turn first, so that other machines can commit meanwhile.
  private static let mostRecordsWithTurn: UInt64 = 100

  /// Begins a write transaction that shows the newest commit of all machines, with the turn. Returns that commit's number.
  func beginWithTurn(_ replica: Replica, on connection: Connection) throws -> UInt64 {
    var hasCaughtUp = false
    while true {
      let turn = try replica.takeTurn(for: connection)
      let current = try begin(on: connection)
      if current == turn.head { return current }
      connection.endUnchanged()
      if current > turn.head {
        // Another machine has committed since: this process was stopped for so long that it lost the turn.
        try replica.dropTurn(turn, at: current)
      } else if hasCaughtUp || turn.head - current <= Self.mostRecordsWithTurn,
        let records = try replica.records(after: current, on: connection)
      {
        try apply(records, on: connection)
      } else {
        replica.giveBackTurn()
        try catchUp(replica, with: turn.head, on: connection)
        hasCaughtUp = true
      }
    }
  }

  /// Applies all records up to a number that is in the log.
  private func catchUp(_ replica: Replica, with head: UInt64, on connection: Connection) throws {
    while true {
      let current = try ChangeLog.commitNumber(on: connection)
      if current >= head { return }
      try follow(replica, after: current, on: connection)
    }
  }

  /// Gets what follows a commit from the log, and applies it.
  func follow(_ replica: Replica, after number: UInt64, on connection: Connection) throws {
    guard let records = try replica.records(after: number, on: connection) else {
      return try install(replica, on: connection)
    }
    try apply(records, on: connection)
  }

  /// Returns the group's record for the cluster's log, or nil if it can't be told apart from what was undone.
  func record(of group: Group, changes: [UInt8], by recorder: ChangeRecorder) throws -> CommitRecord? {
    guard let segments = try recorder.finish() else { return nil }
    let features = try FileFormat.features(on: group.connection).subtracting(.replicated)
    let content = CommitContent(features: features, changes: changes, segments: segments)
    return CommitRecord(number: group.commitNumber, writer: group.writer, bytes: content.encoded)
  }

  /// The error for a group that has no record. Its transactions run again, without the one that was undone.
  var mixedChanges: WorkspaceError {
    WorkspaceError(
      .conflict,
      "A transaction was undone that dropped an index, and shared a commit to '\(workspace.path)' with others; run them "
        + "again.", path: workspace.path)
  }

  /// Appends the group's record to the cluster's log. Returns false after the group has failed.
  func append(_ record: CommitRecord, of group: Group, to replica: Replica) -> Bool {
    // The record can't be taken back, so look for a replaced file first.
    guard publication.isNext(group) else {
      group.record = nil
      return true
    }
    switch replica.append(record) {
    case .appended:
      replica.note(record)
      Failpoint.appendedBeforeCommit.reach(in: workspace)
      return true
    case .fenced: fail(replica.lostTurn, requeuesPlainWrites: true)
    case .refused(let error):
      let explained = replica.explained(error)
      fail(explained, requeuesPlainWrites: postponesPlainWrites(after: explained))
    case .unknown(let error): fail(replica.unknownOutcome(error))
    }
    return false
  }

  /// Returns the error for a group that has nothing to append, and so learns in no other way that another machine has
  /// committed since it began (A3, A9). Returns nil if none has.
  func staleness(of group: Group, with replica: Replica) -> WorkspaceError? {
    do {
      return try replica.confirmsTurn(at: group.commitNumber - 1) ? nil : replica.lostTurn
    } catch {
      return wrapped(error)
    }
  }

  /// Returns the error for a group that is committed in the cluster, while the file on this machine failed.
  func lostLocally(_ group: Group, because error: any Error) -> WorkspaceError {
    WorkspaceError(
      .outcomeUnknown,
      "The cluster of '\(workspace.path)' has commit \(group.commitNumber), but the file on this machine failed; it gets "
        + "the commit once it can be written.", path: workspace.path, sqlite: error as? SQLiteError, underlying: error)
  }

  // MARK: Other machines' commits

  /// Applies the records that follow the file's newest commit, in one transaction. Publishing them is the caller's
  /// business, as with another process's commits.
  ///
  /// - Throws: ``WorkspaceError`` with code `.corrupt` if a record doesn't fit the file, which ends the replica.
  func apply(_ records: [CommitRecord], on connection: Connection) throws {
    guard let replica else { return }
    // Until the cluster has been reached, another one's log may be in the place of its own.
    _ = try replica.cluster
    try connection.beginImmediate()
    do {
      var position = try ChangeLog.commitNumber(on: connection)
      try requireUnchangedMembership(of: connection)
      for record in records where record.number > position {
        try apply(record, after: position, on: connection)
        replica.note(record)
        position = record.number
      }
      try connection.commit()
    } catch {
      rollBack(connection)
      if let error = error as? CommitLogError {
        let explained = replica.explained(error)
        replica.stop(because: explained)
        throw explained
      }
      if let error = error as? WorkspaceError, error.code == .corrupt { replica.stop(because: error) }
      throw error
    }
    // What this connection knows of the file's lists, and of its own last commit, no longer holds.
    connection.dropCatalogs()
    ownCommit = nil
    file.side.touch()
    checkpointIfDue(connection)
  }

  private func apply(_ record: CommitRecord, after position: UInt64, on connection: Connection) throws {
    guard record.number == position + 1 else {
      throw CommitLogError(.foreign, "record \(record.number) follows record \(position)")
    }
    let content = try CommitContent(decoding: record)
    do {
      if !content.features.isEmpty { try FileFormat.announce(content.features, on: connection) }
      for segment in content.segments { try connection.apply(segment, excluding: Replica.localTables) }
      // Whatever the statements did, the tables have to be this format's.
      if content.segments.contains(where: { !$0.schemaChanges.isEmpty }) {
        try connection.checkAllTables()
        guard try ClusterTable.membership(on: connection) != nil else {
          throw CommitLogError(.foreign, "record \(record.number) drops '\(ClusterTable.name)'")
        }
      }
    } catch let conflict as ChangesetConflict {
      throw replica?.differs(at: record.number, conflict) ?? conflict
    }
    try ChangeLog.append(
      commitNumber: record.number, writer: record.writer, changes: content.changes, on: connection)
  }

  // MARK: Snapshots

  /// Replaces the file's content by the cluster's newest snapshot, because the log no longer has the next record.
  func install(_ replica: Replica, on connection: Connection) throws {
    let folder = try TemporaryFolder.make(inMemory: false)
    defer { TemporaryFolder.remove(folder) }
    let copy = folder + "/snapshot.db"
    let snapshot = try replica.downloadSnapshot(to: copy)
    let source = try file.openCopy(copy)
    defer { source.close() }
    do {
      try replica.require(snapshot, in: source)
      let isInstalled = try connection.replaceContent(by: source) {
        // Another process of this machine may have been faster.
        guard let reader = try file.openReader() else { return true }
        defer { reader.close() }
        // The file may have left the cluster, and have commits of its own since.
        try replica.requireMembership(of: reader)
        let position = try ChangeLog.commitNumber(on: reader)
        try replica.requireCommit(position, of: reader, in: source)
        return position < snapshot.commitNumber
      }
      if !isInstalled { return }
      try replica.storeAddress(on: connection)
    } catch {
      rollBack(connection)
      throw error
    }
    ownCommit = nil
    file.side.touch()
    checkpointIfDue(connection)
  }
}

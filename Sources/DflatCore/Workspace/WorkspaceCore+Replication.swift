import DflatSQLite
import DflatSupport

extension WorkspaceCore {
  /// Creates the core of a replicated workspace.
  ///
  /// - Throws: ``WorkspaceError`` if the process's SQLite can't record changes, or the engine's options are wrong.
  package convenience init(
    path: String, options: SQLiteWorkspace.Options, tables: [any ParticipantTables],
    replication: SQLiteWorkspace.Replication
  ) throws {
    guard SQLiteLibrary.hasSessions else {
      throw WorkspaceError(
        .cannotOpen,
        "'\(path)' can't be replicated: this process's SQLite library has no session extension; link one that was built "
          + "with SQLITE_ENABLE_SESSION.", path: path)
    }
    let log: any CommitLog
    do { log = try replication.makeLog() } catch {
      throw WorkspaceError.wrapping(error, path: path, doing: "Connecting to the cluster of")
    }
    self.init(path: path, options: options, tables: tables, cluster: (log, ReplicationOptions(replication)))
  }

  /// Writes a line to the log when the replica begins or ceases to follow its cluster.
  func logPhase(of status: ReplicationStatus) {
    let position = "commit \(status.commitNumber) of \(status.clusterCommitNumber)"
    switch status.phase {
    case .connecting: break
    case .connected: log.write(.info, "'\(path)' follows its cluster, at \(position).", for: self)
    case .behind: log.write(.debug, "'\(path)' is behind its cluster, at \(position).", for: self)
    case .resolving:
      log.write(
        .warning, "'\(path)' lost the connection to its cluster during a commit, and finds out whether it is there.",
        for: self)
    case .unavailable:
      let reason = replica?.isRefused == true ? "refuses commits" : "can't be reached"
      log.write(.warning, "The cluster of '\(path)' \(reason); reads go on, at \(position).", for: self)
    case .stopped:
      log.write(.error, "'\(path)' can't follow its cluster any more, at \(position).", for: self)
    }
  }

  /// Applies the records that the cluster's log has, unless the cluster is out of reach and the file is a member already.
  package func catchUpWithCluster() throws {
    guard let replica else { return }
    do {
      try follow(replica)
      try replica.requireSnapshot { try makeSnapshot(for: replica) }
    } catch let error as WorkspaceError
      where error.code == .unavailable && publication.published > 0
    {
      log.write(.debug, "'\(path)' opens without its cluster.", about: error, for: self)
    }
  }

  /// Applies the records that the cluster's log has at this moment, and publishes them.
  ///
  /// - Throws: ``WorkspaceError``.
  func follow(_ replica: Replica) throws {
    do { try getNewestCommit(by: replica) } catch {
      throw WorkspaceError.wrapping(error, path: path, doing: "Getting the newest commit of the cluster of")
    }
  }

  private func getNewestCommit(by replica: Replica) throws {
    if let stopped = replica.stoppingError { throw stopped }
    try pipeline.exclusively { writer in try replica.join(try writer.open()) }
    let earlier = publication.published
    let status = try replica.status(within: replica.timeoutOfCalls)
    try replica.require(earlier, upTo: status.head)
    try checkForCommits()
    // The follower may publish the same commits meanwhile, so ask for those after a number from before.
    var published = publication.published
    while published < status.head {
      try pipeline.exclusively { writer in
        try writer.follow(replica, after: published, on: try writer.open())
      }
      try checkForCommits()
      published = publication.published
    }
  }

  /// Makes a snapshot in the background if one is due. The workspace doesn't close before it is made.
  func makeSnapshotIfDue() {
    guard let replica, (try? beginActivity()) != nil else { return }
    guard let size = try? fileSize(), replica.beginsSnapshot(ofFileWith: size) else { return endActivity() }
    Threads.run { [self] in
      makeDueSnapshot(for: replica, ofFileWith: size)
      endActivity()
    }
  }

  /// Makes the snapshot that is due when the workspace closes: programs that run only for a moment, or don't follow, would
  /// never make one else, and the log would grow for ever.
  func makeLastSnapshotIfDue() {
    guard let replica, replica.countsWhenClosing, let size = try? fileSize(),
      replica.beginsSnapshot(ofFileWith: size)
    else { return }
    makeDueSnapshot(for: replica, ofFileWith: size)
  }

  private func makeDueSnapshot(for replica: Replica, ofFileWith size: Int) {
    do { try replica.makeDueSnapshot(ofFileWith: size) { try makeSnapshot(for: replica) } } catch {
      let failure = WorkspaceError.wrapping(error, path: path, doing: "Storing a snapshot of")
      log.write(.warning, "No snapshot of '\(path)' was stored; a later one is tried.", about: failure, for: self)
    }
  }

  /// Copies the file at the newest commit, and stores the copy in the cluster.
  func makeSnapshot(for replica: Replica) throws {
    let folder = try TemporaryFolder.make(inMemory: false)
    defer { TemporaryFolder.remove(folder) }
    let copy = folder + "/snapshot.db"
    let number = try withView { connection, number in
      // Nobody could begin with a snapshot of a file that has left the cluster.
      try replica.requireMembership(of: connection)
      _ = DatabaseFile.createNew(copy)
      try connection.backup(to: DatabaseFile.resolve(copy)) {}
      return number
    }
    if let number { try replica.upload(copy, at: number) }
  }

  private func fileSize() throws -> Int {
    var status = stat()
    return stat(file.location, &status) == 0 ? Int(status.st_size) : 0
  }
}

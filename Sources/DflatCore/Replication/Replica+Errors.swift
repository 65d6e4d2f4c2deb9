import DflatSQLite

/// The errors for callers of a workspace when the cluster, its log, or the file's part in it is at fault.
extension Replica {
  /// Returns the workspace's error for one of the log's engine.
  func explained(_ error: CommitLogError) -> WorkspaceError {
    switch error.code {
    // Something newer has replaced what was trimmed; the next attempt finds it.
    case .unavailable, .closed, .trimmed: unavailable(error)
    case .busy:
      WorkspaceError(
        .unavailable,
        "A commit to '\(path)' had to wait for other machines of its cluster for too long: \(error.message); try "
          + "again, and keep transactions short.", path: path, underlying: error)
    case .restored:
      mismatch(
        "an older state of the cluster of '\(path)' at \(log.location) was restored: \(error.message); move the file "
          + "away, and join with a new one")
    case .foreign: foreign(error.message)
    case .denied:
      WorkspaceError(
        .unavailable, "The cluster at \(log.location) refuses '\(path)': \(error.message); check the credentials.",
        path: path, underlying: error)
    case .full:
      WorkspaceError(
        .diskFull,
        "The cluster at \(log.location) has no space left for a commit to '\(path)': \(error.message); free "
          + "some space, or raise its quota.", path: path, underlying: error)
    case .tooLarge:
      WorkspaceError(
        .tooLarge,
        "A commit to '\(path)' is too large for the cluster at \(log.location): \(error.message); split the "
          + "transaction.", path: path, underlying: error)
    }
  }

  func unavailable(_ error: CommitLogError) -> WorkspaceError {
    WorkspaceError(
      .unavailable,
      "The cluster of '\(path)' at \(log.location) can't be reached: \(error.message); reads go on, and plain writes wait "
        + "for it.", path: path, underlying: error)
  }

  func foreign(_ what: String) -> WorkspaceError {
    WorkspaceError(
      .corrupt, "The log at \(log.location), which '\(path)' follows, is damaged or another program's: \(what).",
      path: path)
  }

  func mismatch(_ what: String) -> WorkspaceError { WorkspaceError(.clusterMismatch, what + ".", path: path) }

  func newer(_ position: UInt64, than head: UInt64) -> WorkspaceError {
    mismatch(
      "'\(path)' has commit \(position), but the newest one of its cluster is \(head): the cluster has lost commits, or the "
        + "file has commits of its own; begin with a new file, or restore the cluster")
  }

  /// Returns the error for a commit that an older state of the cluster, which was restored, doesn't have.
  func lost(_ position: UInt64) -> WorkspaceError {
    mismatch(
      "commit \(position) of '\(path)' is another one in the cluster at \(log.location): an older state of the cluster "
        + "was restored; move the file away, and join with a new one")
  }

  /// The error for a file that was taken out of its cluster while this process has it open.
  var hasLeft: WorkspaceError {
    mismatch(
      "'\(path)' has left its cluster at \(log.location); open it without replication, or with that of its new cluster")
  }

  /// Returns the error for a record that doesn't fit the file.
  func differs(at number: UInt64, _ conflict: ChangesetConflict) -> WorkspaceError {
    WorkspaceError(
      .corrupt,
      "'\(path)' can't follow its cluster: commit \(number) doesn't fit the file. \(conflict) Delete the file, and open "
        + "it again to get the cluster's state.", path: path, underlying: conflict)
  }

  /// Returns the error for a group that lost the turn before its record was appended.
  var lostTurn: WorkspaceError {
    WorkspaceError(
      .conflict,
      "Another machine has committed meanwhile, because this one was stopped for too long while it wrote to "
        + "'\(path)'; run the transaction again.", path: path)
  }

  /// Returns the error for a group whose outcome can't be found out.
  func unknownOutcome(_ error: any Error) -> WorkspaceError {
    WorkspaceError(
      .outcomeUnknown,
      "The connection to the cluster at \(log.location) was lost during a commit to '\(path)', so it is unknown whether "
        + "the cluster has it; read the values again once the cluster is back.", path: path, underlying: error)
  }
}

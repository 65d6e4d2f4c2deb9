import DflatSQLite

/// The operators' actions on a file and its cluster (`kvtool cluster`).
extension SQLiteWorkspace {
  /// Returns the cluster that the file belongs to; nil if it belongs to none, or if there is no file.
  ///
  /// - Throws: ``WorkspaceError``.
  package func clusterMembership() throws -> ClusterMembership? {
    try core.readingActivity {
      try core.withView { connection, _ in try ClusterTable.membership(on: connection) } ?? nil
    }
  }

  /// Makes the file one that belongs to no cluster: its contents stay, and its commits are its own from now on. The
  /// cluster isn't asked. Programs that have the file open as a replica fail with `.clusterMismatch` from now on.
  ///
  /// - Returns: The cluster that it belonged to; nil if it belonged to none.
  /// - Throws: ``WorkspaceError``.
  package func leaveCluster() throws -> ClusterMembership? {
    do {
      return try core.activity {
        guard try core.file.exists() else {
          throw WorkspaceError(.noSuchFile, "There is no file at '\(core.path)'.", path: core.path)
        }
        let connection = try core.file.openWriter()
        defer { connection.close() }
        try connection.beginImmediate()
        guard let membership = try ClusterTable.membership(on: connection) else {
          try connection.rollBack()
          return nil
        }
        try ClusterTable.remove(on: connection)
        try connection.commit()
        core.file.side.touch()
        return membership
      }
    } catch {
      throw WorkspaceError.wrapping(error, path: core.path, doing: "Taking out of its cluster")
    }
  }
}

extension WorkspaceReplication {
  /// Stores a snapshot of the newest commit in the cluster, and drops the records that the previous one covers. Does
  /// nothing if the newest snapshot has that commit.
  ///
  /// - Throws: ``WorkspaceError``.
  package func storeSnapshot() throws {
    do {
      try core.activity {
        try core.follow(replica)
        try core.makeSnapshot(for: replica)
      }
    } catch {
      throw WorkspaceError.wrapping(error, path: core.path, doing: "Storing a snapshot of")
    }
  }

  /// Compares the file with another replica's, table by table, at one commit.
  ///
  /// - Returns: The commit, and a line for each table that differs.
  /// - Throws: ``WorkspaceError``: `.busy` if other machines commit so fast that both can't be read at one commit.
  package func differences(from other: WorkspaceReplication) throws -> (commitNumber: UInt64, lines: [String]) {
    for _ in 0..<100 {
      try catchUp()
      let found = try core.readingActivity {
        try core.withView { mine, number in
          try other.catchUp()
          return try other.core.withView { theirs, otherNumber -> (UInt64, [String])? in
            guard number == otherNumber else { return nil }
            return (number, try TableComparison(mine, theirs).differences())
          } ?? nil
        } ?? nil
      }
      if let found { return found }
    }
    throw WorkspaceError(
      .busy, "'\(core.path)' can't be compared with its cluster while so many commits come; try again later.",
      path: core.path)
  }
}

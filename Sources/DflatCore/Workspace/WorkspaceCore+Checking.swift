import DflatSQLite

extension WorkspaceCore {
  // MARK: Checking

  /// Returns the damage in SQLite's structures and, if these are sound, in the rows of the change log and the
  /// participants' tables.
  package func integrityProblems(in participants: [any ParticipantTables]) throws -> [IntegrityProblem] {
    try readingActivity {
      do {
        // Take a new view: other programs may have changed the file without adding a commit number.
        return try withinSnapshot {
          try withCurrentView { connection, commitNumber in
            // Read the schema as a program would that opens the file now.
            try connection.reloadSchema()
            connection.dropCatalogs()
            publication.noteUnloggedCatalogChange()
            guard try FileFormat.inspect(connection, path: path) == .ours else {
              return [IntegrityProblem(line: "The file has lost its content; restore a backup.", isRepairable: false)]
            }
            let damage = try connection.withAllTables { try structuralProblems(on: connection) }
            if !damage.isEmpty { return damage }
            return try logProblems(on: connection)
              + participants.flatMap { try $0.problems(on: connection, at: commitNumber) }
          } ?? []
        }
      } catch {
        let error = WorkspaceError.wrapping(error, path: path, doing: "Checking")
        guard error.code == .corrupt else { throw error }
        // The file is too damaged for a complete check.
        return [IntegrityProblem(line: error.sqlite?.message ?? error.message, isRepairable: false)]
      }
    }
  }

  /// Runs SQLite's own checks.
  private func structuralProblems(on connection: Connection) throws -> [IntegrityProblem] {
    var lines: [String] = []
    do {
      try connection.forEachDefect(isQuick: false) { lines.append($0) }
      if lines.isEmpty { return [] }
      // The quick check skips SQLite's indexes, which can be rebuilt.
      let isRepairable = try connection.firstDefect(isQuick: true) == nil
      return lines.map { IntegrityProblem(line: $0, isRepairable: isRepairable) }
    } catch let error as SQLiteError where error.isCorrupt {
      return (lines + [error.message]).map { IntegrityProblem(line: $0, isRepairable: false) }
    }
  }

  /// Checks the columns of the change log.
  private func logProblems(on connection: Connection) throws -> [IntegrityProblem] {
    let misnumbered = try connection.integer(
      "SELECT count(*) FROM dflat_log WHERE commit_number NOT BETWEEN 0 AND \(CommitNumber.highest)")
    if misnumbered == 0 { return [] }
    let line = "\(misnumbered) rows of the change log have a commit number that was never assigned."
    return [IntegrityProblem(line: line, isRepairable: false)]
  }

  // MARK: Repair

  /// Rebuilds SQLite's own indexes and the participants' derived data in one transaction, if they are damaged. Returns
  /// the repairs, one line each. Throws instead if the file is a replica, unless there is nothing to repair.
  package func repair(_ participants: [any ParticipantTables], declaring types: [Any.Type]) throws -> [String] {
    try performAndWait(types) { transaction in
      let group = try transaction.joinedGroup()
      return try group.reading { connection in
        connection.dropCatalogs()
        var lines: [String] = []
        // If tables are damaged, dropping one may free pages that another one uses.
        if let damage = try connection.withAllTables({ try connection.firstDefect(isQuick: true) }) {
          throw WorkspaceError(
            .corrupt, "'\(path)' is damaged beyond repair, and was left unchanged: \(damage); restore a backup.",
            path: path)
        }
        try connection.withAllTables {
          if try connection.firstDefect(isQuick: false) == nil { return }
          // The tables are sound, so the damage is in SQLite's indexes.
          try connection.execute("REINDEX")
          group.hasChanges = true
          lines.append("Rebuilt SQLite's own indexes.")
        }
        let repairs = try lines + participants.flatMap { try $0.repair(in: transaction) }
        // The other machines' files don't have this damage, so the record of its repair wouldn't fit them.
        if replica != nil, let first = repairs.first {
          throw WorkspaceError(
            .corrupt,
            "'\(path)' differs from the other files of its cluster, and was left unchanged; begin with a new file. A "
              + "repair would begin with: \(first)", path: path)
        }
        return repairs
      }
    }
  }

  // MARK: Statistics

  /// Counts the rows of the participants' tables, as of the newest commit, or as of the snapshot that this thread reads
  /// in. Reads all of them.
  package func rowCounts() throws -> [RowCount] {
    try readingActivity {
      try withCurrentView { connection, _ in
        try tables.flatMap { try $0.rowCounts(on: connection) }
      } ?? []
    }
  }
}

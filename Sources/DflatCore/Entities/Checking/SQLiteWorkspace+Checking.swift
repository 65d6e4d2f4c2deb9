import DflatSQLite

/// Damage that a check found.
package struct IntegrityProblem: Sendable {
  /// A line for people.
  package let line: String
  /// True if ``SQLiteWorkspace/reindex(_:)`` makes the damaged part anew.
  package let isRepairable: Bool
}

extension SQLiteWorkspace {
  /// Looks for damage: of SQLite's structures, of the dictionary's rows, and of the tables of entities, which are compared
  /// with the stored objects. A line for each problem, none when sound.
  ///
  ///     for problem in try workspace.checkIntegrity([Post.self]) { print(problem) }
  ///
  /// It reads the whole file, and holds up nobody. What indexes hold is compared for every type that the file has. Of the
  /// given types the objects' bytes are verified too, and their keys compared. A flipped bit in a value is not seen.
  ///
  /// - Parameter types: The types of objects that the program knows.
  public func checkIntegrity(_ types: [any Atom.Type]) throws -> [String] {
    try checkIntegrity(of: types.map(EntitySchema.init))
  }

  /// Looks for damage, as ``checkIntegrity(_:)`` does for a program that knows no types of objects.
  public func checkIntegrity() throws -> [String] { try checkIntegrity(of: []) }

  package func checkIntegrity(of schemas: [EntitySchema]) throws -> [String] {
    try integrityProblems(of: schemas).map(\.line)
  }

  /// The problems that ``checkIntegrity(_:)`` lists, each with whether ``reindex(_:)`` mends it.
  package func integrityProblems(of schemas: [EntitySchema]) throws -> [IntegrityProblem] {
    try core.readingActivity {
      do {
        // A new view: what other programs did to the file without a commit of ours counts too.
        return try core.withinSnapshot {
          try core.withCurrentView { connection, commitNumber in
            // As a program would find the file that opens it now.
            try connection.reloadSchema()
            let problems = try problems(on: connection, at: commitNumber)
            guard problems.isEmpty else { return problems }
            return try EntityCheck.problems(schemas, on: connection).map {
              IntegrityProblem(line: $0.line, isRepairable: $0.isRepairable)
            }
          } ?? []
        }
      } catch {
        let error = WorkspaceError.wrapping(error, path: core.path, doing: "Checking")
        guard error.code == .corrupt else { throw error }
        // Too damaged even to be checked to the end.
        return [IntegrityProblem(line: error.sqlite?.message ?? error.message, isRepairable: false)]
      }
    }
  }

  /// The tables of entities that the file lists.
  package func entityTables() throws -> [String] {
    try core.readingActivity {
      try core.withView { connection, _ in
        var tables: [String] = []
        guard try connection.hasTable("dflat_entity") else { return tables }
        try connection.prepare("SELECT name FROM dflat_entity ORDER BY name").forEachRow {
          tables.append($0.string(at: 0))
        }
        return tables
      } ?? []
    }
  }

  /// Makes anew what follows from the stored objects and does not fit them: indexes, the keys of the given types, and what
  /// a damaged SQLite index holds.
  ///
  ///     for line in try workspace.reindex([Post.self]) { print(line) }
  ///
  /// It reads the whole file, in one transaction: others wait, or get `.busy`. What can't be made anew, an object whose
  /// bytes are damaged for one, stays as it is; ``checkIntegrity(_:)`` says afterwards what is left.
  ///
  /// It waits for its turn as ``transactAndWait(_:_:)`` does, and throws what that throws.
  /// - Parameter types: The types of objects that the program knows.
  /// - Returns: What was done, a line each; none when there was nothing to do.
  @discardableResult
  public func reindex(_ types: [any Atom.Type] = []) throws -> [String] {
    try reindex(of: types.map(EntitySchema.init), declaring: types)
  }

  package func reindex(of schemas: [EntitySchema], declaring types: [any Atom.Type] = []) throws -> [String] {
    try transactAndWait(types) { transaction in
      let group = try transaction.joinedGroup()
      return try group.reading { connection in
        var lines: [String] = []
        // Where tables are damaged, dropping one may free pages that another uses.
        let damage = try connection.withAllTables { try connection.text("PRAGMA quick_check(1)") }
        guard damage == "ok" else {
          throw WorkspaceError(
            .corrupt,
            "'\(core.path)' is damaged where nothing can be rebuilt, and was left as it is: \(damage); restore a backup.",
            path: core.path)
        }
        try connection.withAllTables {
          if try connection.text("PRAGMA integrity_check(1)") == "ok" { return }
          // Tables are sound, and what is wrong is what SQLite's indexes hold.
          try connection.execute("REINDEX")
          group.hasChanges = true
          lines.append("Rebuilt SQLite's own indexes.")
        }
        var repair = try EntityRepair(schemas, in: transaction)
        try repair.run()
        return lines + repair.done
      }
    }
  }
}

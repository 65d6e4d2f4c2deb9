public import DflatCore
import DflatSQLite

extension SQLiteWorkspace {
  /// Checks SQLite's structures, the dictionary's rows, and the tables of entities, which it compares with the stored
  /// objects.
  ///
  ///     for problem in try workspace.checkIntegrity([Post.self]) { print(problem) }
  ///
  /// It compares the indexes of every type in the file. For the given types it also verifies the objects' bytes and
  /// compares their keys. It doesn't detect a flipped bit in a value.
  ///
  /// Reads the whole file in one read view, which doesn't hold up other users of the file. Blocks the calling thread
  /// until the check is complete.
  ///
  /// - Parameter types: The types of objects that the program knows.
  /// - Returns: The problems, one line each; empty if the file is sound, or doesn't exist.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.shutdown` after shutdown; with code `.schemaVersionMismatch`
  ///   if a given type's schema contradicts that of its objects in the file; or one of the errors of
  ///   `SQLiteWorkspace.open(filePath:options:)` if the file can't be opened or read, except `.corrupt`: damage is
  ///   returned.
  public func checkIntegrity(_ types: [any Atom.Type]) throws -> [String] {
    try checkIntegrity(of: types.map(EntitySchema.init))
  }

  /// Checks the file as ``checkIntegrity(_:)`` does, for a program that knows no types of objects. Blocks the calling
  /// thread until the check is complete.
  ///
  /// - Returns: The problems, one line each; empty if the file is sound, or doesn't exist.
  /// - Throws: The errors of ``checkIntegrity(_:)``.
  public func checkIntegrity() throws -> [String] { try checkIntegrity(of: []) }

  package func checkIntegrity(of schemas: [EntitySchema]) throws -> [String] {
    try integrityProblems(of: schemas).map(\.line)
  }

  /// Returns the problems that ``checkIntegrity(_:)`` lists, and for each whether ``reindex(_:)`` repairs it.
  package func integrityProblems(of schemas: [EntitySchema]) throws -> [IntegrityProblem] {
    try core.integrityProblems(in: tables(with: schemas))
  }

  /// Returns the participants' parts of the file, of which the entities' knows these types.
  private func tables(with schemas: [EntitySchema]) -> [any ParticipantTables] {
    core.tables.map { $0 is EntityTables ? EntityTables(schemas) : $0 }
  }

  /// Returns the tables of entities that the file lists.
  package func entityTables() throws -> [String] {
    try core.readingActivity {
      try core.withView { connection, _ in try connection.entityTables() } ?? []
    }
  }

  /// Rebuilds the parts of the file that are derived from the stored objects and don't match them: indexes, sequences,
  /// the keys of the given types, and SQLite's own indexes. Drops index tables that the file doesn't list.
  ///
  ///     for line in try workspace.reindex([Post.self]) { print(line) }
  ///
  /// Reads the whole file in one transaction: meanwhile other transactions wait, and those of other processes may fail
  /// with `.busy`. Damage that can't be rebuilt stays, for example in an object's bytes; ``checkIntegrity(_:)`` lists
  /// it afterwards.
  ///
  /// Blocks the calling thread until the transaction is committed and its observers have run, as
  /// ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does.
  ///
  /// - Parameter types: The types of objects that the program knows.
  /// - Returns: The repairs, one line each; empty if there was nothing to repair.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.corrupt` if SQLite's tables are damaged, or if a replica has
  ///   anything to repair, which begins with a new file instead, or with code
  ///   `.schemaVersionMismatch` if the schema of a given type contradicts that of its objects, which both leave the
  ///   file as it was; the other errors of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  @discardableResult
  public func reindex(_ types: [any Atom.Type] = []) throws -> [String] {
    try reindex(of: types.map(EntitySchema.init), declaring: types)
  }

  package func reindex(of schemas: [EntitySchema], declaring types: [any Atom.Type] = []) throws -> [String] {
    try core.repair(tables(with: schemas), declaring: types)
  }
}

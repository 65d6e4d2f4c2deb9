import DflatSQLite

/// The tables and marks of this format's SQLite files. `docs/storage-format.md` describes them.
package enum FileFormat {
  /// The application ID in the header: "DfKV".
  package static let applicationID: Int64 = 0x4466_4b56
  /// The format version that this library writes, in the header's user version. A file with a higher version is
  /// refused.
  package static let version: Int64 = 1

  enum State { case empty, ours }

  /// Distinguishes a new file from one of this format.
  ///
  /// - Throws: ``WorkspaceError`` with code `.foreignDatabase` for another program's database, `.newerFormat` for a
  ///   newer version, or `.corrupt` for a wrong text encoding.
  static func inspect(_ connection: Connection, path: String) throws -> State {
    // Look for tables first: another process may create them and the marks, in a single commit, between these
    // statements.
    let objects = try connection.integer("SELECT EXISTS (SELECT 1 FROM sqlite_master)")
    let application = try connection.integer("PRAGMA application_id")
    let version = try connection.integer("PRAGMA user_version")
    if application == applicationID, version > 0 {
      let encoding = try connection.text("PRAGMA encoding")
      guard encoding == "UTF-8" else {
        throw WorkspaceError(
          .corrupt, "'\(path)' has the text encoding \(encoding), which this format doesn't use; restore a backup.",
          path: path)
      }
      guard version <= self.version else {
        throw WorkspaceError(
          .newerFormat,
          "'\(path)' has format \(version), but this library supports formats up to \(self.version); update the program.",
          path: path)
      }
      return .ours
    }
    // Any other file must be empty.
    guard application == 0, objects == 0 else {
      throw WorkspaceError(
        .foreignDatabase, "'\(path)' is an SQLite database of another program; choose another path.", path: path)
    }
    return .empty
  }

  /// Creates the tables and marks unless another process was faster.
  static func create(on connection: Connection, path: String) throws {
    try connection.beginImmediate()
    do {
      if try inspect(connection, path: path) == .empty {
        try connection.changeSchema("\(TableFormat.log); \(TableFormat.dictionary)")
        try connection.execute("INSERT INTO dflat_log (commit_number, writer, changes) VALUES (0, 0, x'')")
        try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
      }
      try connection.commit()
    } catch {
      // Report the first error, not one of the rollback.
      try? connection.rollBack()
      throw error
    }
  }
}

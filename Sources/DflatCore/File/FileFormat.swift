import DflatSQLite
import DflatSupport

/// The marks of this format's SQLite files, the change log, the list of schemas, and the participants' tables.
/// `docs/storage-format.md` describes them.
package struct FileFormat: Sendable {
  /// The application ID in the header: "DfKV".
  package static let applicationID: Int64 = 0x4466_4b56
  /// The format version of a new file, in the header's user version.
  package static let version: Int64 = 1
  /// The format version of a replica (`ClusterTable`).
  package static let replicatedVersion: Int64 = 2
  /// The format version of a file that has had sealed values, and is no replica.
  package static let sealedVersion: Int64 = 3
  /// The format version of a replica that has had sealed values. A file with a higher version is refused.
  package static let replicatedSealedVersion: Int64 = 4

  enum State { case empty, ours }

  private static let log = """
    CREATE TABLE dflat_log (
      commit_number INTEGER PRIMARY KEY, writer INTEGER NOT NULL, changes BLOB NOT NULL)
    """

  /// The definitions of the participants' tables.
  private let participants: [any ParticipantSchema]

  init(_ participants: [any ParticipantSchema]) { self.participants = participants }

  // MARK: Files

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
      guard version <= Self.replicatedSealedVersion else {
        throw WorkspaceError(
          .newerFormat,
          "'\(path)' has format \(version), but this library supports formats up to \(Self.replicatedSealedVersion); update "
            + "the program.",
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
  func create(on connection: Connection, path: String) throws {
    try connection.beginImmediate()
    do {
      if try Self.inspect(connection, path: path) == .empty {
        try connection.changeSchema(Self.log)
        for participant in participants { try participant.createTables(on: connection) }
        try connection.execute("INSERT INTO dflat_log (commit_number, writer, changes) VALUES (0, 0, x'')")
        try connection.execute("PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Self.version)")
      }
      try connection.commit()
    } catch {
      // Report the first error, not one of the rollback.
      try? connection.rollBack()
      throw error
    }
  }

  // MARK: Versions

  /// Gives the file the version of a replica, or takes it away. A write transaction is open.
  static func setReplicated(_ isReplicated: Bool, on connection: Connection) throws {
    let hasSealed = try connection.integer("PRAGMA user_version") >= sealedVersion
    try setVersion(isReplicated: isReplicated, hasSealedValues: hasSealed, on: connection)
  }

  /// Gives the file the version of one with sealed values, so that programs that don't know them refuse it. A write
  /// transaction is open.
  package static func announceSealedValues(on connection: Connection) throws {
    let version = try connection.integer("PRAGMA user_version")
    if version >= sealedVersion { return }
    try setVersion(isReplicated: version == replicatedVersion, hasSealedValues: true, on: connection)
  }

  private static func setVersion(isReplicated: Bool, hasSealedValues: Bool, on connection: Connection) throws {
    let version =
      switch (isReplicated, hasSealedValues) {
      case (false, false): version
      case (true, false): replicatedVersion
      case (false, true): sealedVersion
      case (true, true): replicatedSealedVersion
      }
    try connection.execute("PRAGMA user_version = \(version)")
  }

  // MARK: Tables

  /// Throws `.corrupt` unless the tables that every file has, or may have, match this format. Reads the schema, but no
  /// rows.
  func requireSoundFile(_ connection: Connection) throws {
    try requireTable("dflat_log", on: connection, or: "is missing")
    try TableFormat.requireSound(SchemaListTable.name, on: connection, indexes: indexes)
    try TableFormat.requireSound(ClusterTable.name, on: connection, indexes: indexes)
    for table in participants.flatMap(\.fixedTables) {
      if table.isInEveryFile {
        try requireTable(table.name, on: connection, or: "is missing")
      } else {
        try TableFormat.requireSound(table.name, on: connection, indexes: indexes)
      }
    }
  }

  /// Throws `.corrupt` unless the table that a statement uses exists and matches this format.
  func requireTable(_ name: String, on connection: Connection, or what: String = "is not in the schema") throws {
    if try TableFormat.requireSound(name, on: connection, indexes: indexes) { return }
    throw TableFormat.damage(name, what, connection)
  }

  /// Returns the indexes of the table of a name, or nil if the SQL isn't the documented one.
  private func indexes(ofTable name: String, _ sql: String) -> TableFormat.Indexes? {
    if name.hasSameBytes(as: "dflat_log") { return TableFormat.isSame(sql, Self.log) ? TableFormat.Indexes.none : nil }
    if name.hasSameBytes(as: SchemaListTable.name) { return SchemaListTable.indexes(sql) }
    if name.hasSameBytes(as: ClusterTable.name) { return ClusterTable.indexes(sql) }
    // Only the owner of a fixed name says what the table looks like: it could look like another participant's.
    let owner = participants.first { $0.fixedTables.contains { $0.name.hasSameBytes(as: name) } }
    if let owner { return owner.indexes(ofTable: name, sql: sql) }
    return participants.lazy.compactMap { $0.indexes(ofTable: name, sql: sql) }.first
  }
}

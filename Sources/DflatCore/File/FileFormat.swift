import DflatSQLite
import DflatSupport

/// The marks of this format's SQLite files, the change log, the list of schemas, and the participants' tables.
/// `docs/storage-format.md` describes them.
package struct FileFormat: Sendable {
  /// The application ID in the header: "DfKV".
  package static let applicationID: Int64 = 0x4466_4b56
  /// The format version of a new file, in the header's user version.
  package static let version: Int64 = 1
  /// The highest format version: that of a file with all features. A file with a higher one is refused.
  package static let newestVersion = version + Features.all.rawValue

  /// Contents of a file that a program must know to use it, including programs of earlier versions of the library: the
  /// file's format version is 1 plus the sum of its features' numbers. Only `replicated` is ever removed.
  package struct Features: OptionSet, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The file is a replica (`ClusterTable`).
    static let replicated = Features(rawValue: 1)
    /// The file has had sealed values.
    package static let sealedValues = Features(rawValue: 2)
    /// The file has had values that expire.
    package static let expiringValues = Features(rawValue: 4)
    static let all: Features = [.replicated, .sealedValues, .expiringValues]
  }

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
      guard version <= Self.newestVersion else {
        throw WorkspaceError(
          .newerFormat,
          "'\(path)' has format \(version), but this library supports formats up to \(Self.newestVersion); update the program.",
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

  // MARK: Features

  /// Returns the features of the file as the connection's view shows it.
  package static func features(on connection: Connection) throws -> Features {
    let version = try connection.statement(.userVersion).firstRow { $0.int64(at: 0) } ?? version
    return Features(rawValue: max(version - Self.version, 0))
  }

  /// Gives the file features, so that programs that don't know them refuse it. A write transaction is open.
  package static func announce(_ features: Features, on connection: Connection) throws {
    let present = try Self.features(on: connection)
    if !present.isSuperset(of: features) { try set(present.union(features), on: connection) }
  }

  /// Makes the file a replica, or one that belongs to no cluster. A write transaction is open.
  static func setReplicated(_ isReplicated: Bool, on connection: Connection) throws {
    let others = try features(on: connection).subtracting(.replicated)
    try set(isReplicated ? others.union(.replicated) : others, on: connection)
  }

  private static func set(_ features: Features, on connection: Connection) throws {
    try connection.execute("PRAGMA user_version = \(version + features.rawValue)")
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

extension SQL {
  fileprivate static let userVersion = SQL("PRAGMA user_version")
}

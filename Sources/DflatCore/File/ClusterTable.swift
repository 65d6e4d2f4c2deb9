import DflatSQLite

/// The table that makes a file a replica: it names the cluster whose commits the file has. It is not replicated.
///
/// A file with it has the feature `replicated`, so that programs that know nothing of clusters refuse it: a commit of theirs
/// would be in no other replica.
enum ClusterTable {
  static let name = "dflat_cluster"

  private static let definition =
    "CREATE TABLE dflat_cluster (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"

  /// Returns the indexes of the table, or nil if the SQL isn't the documented one.
  static func indexes(_ sql: String) -> TableFormat.Indexes? {
    TableFormat.isSame(sql, definition) ? .automatic(origin: "pk") : nil
  }

  /// Returns the cluster that the file belongs to, or nil if it belongs to none.
  static func membership(on connection: Connection) throws -> ClusterMembership? {
    guard try connection.hasTable(name) else { return nil }
    func value(_ name: String) throws -> String? {
      let statement = try connection.statement(.clusterValue)
      try statement.bind(name, at: 1)
      return try statement.firstRow { $0.string(at: 0) }
    }
    guard let cluster = try value("cluster"), let engine = try value("engine"), let location = try value("location"),
      let address = try value("address"), let isConfirmed = try value("confirmed")
    else { throw damage(on: connection) }
    return ClusterMembership(
      cluster: cluster, engine: engine, location: location, address: address, isConfirmed: isConfirmed == "1")
  }

  private static func damage(on connection: Connection) -> WorkspaceError {
    TableFormat.damage(name, "doesn't say which cluster the file belongs to", connection)
  }

  /// Makes the file a replica of a cluster, or of the same one at another location. A write transaction is open.
  static func store(_ membership: ClusterMembership, on connection: Connection) throws {
    if try !connection.hasTable(name) { try connection.changeSchema(definition) }
    let insert = try connection.prepare("INSERT OR REPLACE INTO dflat_cluster (name, value) VALUES (?1, ?2)")
    for (name, value) in [
      ("cluster", membership.cluster), ("engine", membership.engine), ("location", membership.location),
      ("address", membership.address), ("confirmed", membership.isConfirmed ? "1" : "0"),
    ] {
      try insert.bind(name, at: 1)
      try insert.bind(value, at: 2)
      try insert.run()
    }
    try FileFormat.setReplicated(true, on: connection)
  }

  /// Makes the file one that belongs to no cluster. A write transaction is open.
  static func remove(on connection: Connection) throws {
    try connection.changeSchema("DROP TABLE dflat_cluster")
    try FileFormat.setReplicated(false, on: connection)
  }
}

/// The cluster that a file belongs to.
package struct ClusterMembership: Sendable, Equatable {
  /// Identifies the cluster.
  package var cluster: String
  /// The kind of the engine that orders the cluster's commits: "etcd".
  package var engine: String
  /// The location of that engine, without secrets, for messages.
  package var location: String
  /// The address of that engine, for programs: what it needs to connect again, without secrets (`CommitLog.address`).
  package var address: String
  /// False while a file that begins the cluster hasn't learned yet that the cluster is there.
  package var isConfirmed = true
}

extension SQL {
  fileprivate static let clusterValue = SQL("SELECT value FROM dflat_cluster WHERE name = ?1")
}

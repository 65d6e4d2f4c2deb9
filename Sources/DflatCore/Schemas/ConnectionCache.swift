package import DflatSQLite

/// A connection's schema cache: what the connection shows of the lists in the file. A rollback drops it, as does code
/// that changes a list.
package final class ConnectionCache {
  /// The part of the list of indexes, for the participant that owns it.
  package var indexes: AnyObject?
  /// The part of `SchemaList`.
  var schemas: SchemaCache?

  package static func of(_ connection: Connection) -> ConnectionCache {
    if let found = connection.schemaCache as? ConnectionCache { return found }
    let made = ConnectionCache()
    connection.schemaCache = made
    return made
  }
}

/// Identifies the content of the lists that a connection shows. What was read at an equal version is still valid.
package enum CatalogVersion: Equatable {
  /// The number of the catalogs, which only commits of other processes, and commits that change a list, change.
  case catalogs(UInt64)
  /// The connection's content version, which every commit changes. Used where the catalogs' number is unknown: in a
  /// transaction that has changed a list, and outside the pipeline and its views.
  case content(UInt32)

  package static func of(_ connection: Connection) -> CatalogVersion? {
    if let number = connection.catalogNumber { return .catalogs(number) }
    return connection.contentVersion.map { .content($0) }
  }
}

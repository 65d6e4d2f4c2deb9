package import DflatSQLite

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

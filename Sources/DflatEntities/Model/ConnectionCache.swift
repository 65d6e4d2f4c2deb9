import DflatSQLite

/// A connection's schema cache: what the connection shows of the lists in the file. A rollback drops it, as does code
/// that changes a list.
final class ConnectionCache {
  /// The part of `IndexCatalog`.
  var indexes: AnyObject?
  /// The part of `SchemaCatalog`.
  var schemas: AnyObject?

  static func of(_ connection: Connection) -> ConnectionCache {
    if let found = connection.schemaCache as? ConnectionCache { return found }
    let made = ConnectionCache()
    connection.schemaCache = made
    return made
  }
}

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

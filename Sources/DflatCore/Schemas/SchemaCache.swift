import DflatSQLite

/// The schemas' part of a connection's schema cache.
final class SchemaCache {
  /// True once the list has been found. A rollback drops the whole cache, and only other tools drop the list.
  var hasList = false
  /// The digests, by the rows' numbers.
  var rows: [Int: StoredDigest] = [:]

  static func of(_ connection: Connection) -> SchemaCache {
    connection.schemaCache.state(orAdding: SchemaCache())
  }
}

/// A class, because looking up a value would copy and count all of its parts.
final class StoredDigest {
  /// Nil if the file has no such schema.
  let digest: Int64?
  /// The version at which the digest was last read.
  let version: CatalogVersion?
  /// The last comparison of a program's schema with the file's at this version.
  var compared: (schema: DeclaredSchema, result: SchemaCompatibility)?

  init(_ digest: Int64?, version: CatalogVersion?) {
    self.digest = digest
    self.version = version
  }
}

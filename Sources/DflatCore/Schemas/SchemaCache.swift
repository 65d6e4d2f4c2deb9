import DflatSQLite

/// The schemas' part of a connection's schema cache.
final class SchemaCache {
  /// True once the list has been found. A rollback drops the whole cache, and only other tools drop the list.
  var hasList = false
  /// The digests, by the rows' numbers.
  var rows: [Int: StoredDigest] = [:]
  /// The schema that was last found to be the file's, and the version at which it was. Most questions are about it.
  private var same: (schema: DeclaredSchema, version: CatalogVersion)?

  func isKnownAsSame(_ schema: DeclaredSchema, at version: CatalogVersion?) -> Bool {
    guard let same, same.schema === schema else { return false }
    return same.version == version
  }

  func noteAsSame(_ schema: DeclaredSchema, at version: CatalogVersion?) {
    same = version.map { (schema, $0) }
  }

  static func of(_ connection: Connection) -> SchemaCache {
    connection.schemaCache.state(orAdding: SchemaCache())
  }
}

struct StoredDigest {
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

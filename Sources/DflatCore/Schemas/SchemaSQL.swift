import DflatSQLite

/// The SQL of the file's list of schemas: the canonical text of each schema, and its digest.
extension SQL {
  static let hasSchemaList = SQL("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'dflat_schema'")
  static let schemaDigest = SQL("SELECT digest FROM dflat_schema WHERE table_name = ?1")
  static let storedSchema = SQL("SELECT digest, schema FROM dflat_schema WHERE table_name = ?1")
  /// Without rows whose name isn't text, which no program finds.
  static let allSchemas = SQL(
    "SELECT table_name, digest, schema FROM dflat_schema WHERE typeof(table_name) = 'text' ORDER BY table_name")
  static let storeSchema = SQL("REPLACE INTO dflat_schema (table_name, digest, schema) VALUES (?1, ?2, ?3)")
  static let removeSchema = SQL("DELETE FROM dflat_schema WHERE table_name = ?1")
}

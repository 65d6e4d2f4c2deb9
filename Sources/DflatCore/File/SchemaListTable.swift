/// The table with the file's list of schemas, which participants share. A file has it once a program has stored a
/// schema.
package enum SchemaListTable {
  package static let name = "dflat_schema"

  package static let definition = """
    CREATE TABLE dflat_schema (
      table_name TEXT PRIMARY KEY, digest INTEGER NOT NULL, schema TEXT NOT NULL) WITHOUT ROWID
    """

  /// Returns the indexes of the table, or nil if the SQL isn't the documented one.
  static func indexes(_ sql: String) -> TableFormat.Indexes? {
    TableFormat.isSame(sql, definition) ? .automatic(origin: "pk") : nil
  }
}

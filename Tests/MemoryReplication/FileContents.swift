/// The rows of a file's tables, without the one that each replica has for itself.
package struct FileContents {
  private var tables: [String: String] = [:]

  package init(_ path: String) throws {
    let file = try RawDatabase(path)
    let names = try file.text(
      """
      SELECT group_concat(name, char(10)) FROM sqlite_master WHERE type = 'table' AND name <> 'dflat_cluster' \
      AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'
      """)
    for name in names?.split(separator: "\n").map(String.init) ?? [] {
      let columns = try file.text(
        """
        SELECT group_concat('quote("' || name || '")', ' || ''|'' || ') FROM pragma_table_info('\(name)')
        """)
      guard let columns else { continue }
      tables[name] = try file.text(
        "SELECT group_concat(line, char(10)) FROM (SELECT \(columns) AS line FROM \"\(name)\" ORDER BY line)")
    }
  }

  /// Returns the names of the tables in which the files differ.
  package func differences(from other: FileContents) -> [String] {
    Set(tables.keys).union(other.tables.keys).filter { tables[$0] != other.tables[$0] }.sorted()
  }
}

import DflatCore
import DflatSQLite
import DflatSupport

/// The documented SQL of the list of indexes and of the indexes' tables, and the comparison with it.
enum IndexTableFormat {
  static let listName = "dflat_index"
  static let list = """
    CREATE TABLE dflat_index (
      table_name TEXT NOT NULL, path TEXT NOT NULL, definition TEXT NOT NULL, filled_to INTEGER NOT NULL,
      last INTEGER NOT NULL, checked INTEGER NOT NULL, PRIMARY KEY (table_name, path)) WITHOUT ROWID
    """

  static func table(_ name: String, path: String) -> String {
    "CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \(columns(ofPath: path)))"
  }

  static func index(_ table: String, path: String) -> String {
    "CREATE INDEX \(quoted(StoredNames.index(on: table))) ON \(quoted(table)) (\(columns(ofPath: path)), rowid)"
  }

  private static func columns(ofPath path: String) -> String {
    StoredNames.indexColumns(ofPath: path).map(quoted).joined(separator: ", ")
  }

  // MARK: Checking

  /// Returns true if there is a table of that name with the form of an index table for the path.
  static func isIndexTable(_ name: String, path: String, on connection: Connection) throws -> Bool {
    let found = try TableFormat.entries(named: name, on: connection)
    return found.count == 1 && found[0].type == "table"
      && TableFormat.isSame(found[0].sql, table(name, path: path))
  }

  /// Returns the table and the path of an index table; nil for any other table.
  static func place(of name: String, _ sql: String) -> (table: String, path: String)? {
    // The path is the names of the columns after the first, joined by '+', and the suffix of the table's name.
    let text = TableFormat.squeezed(sql)
    let beginning = TableFormat.squeezed("CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \"")
    guard text.starts(with: beginning), text.count > beginning.count + 2 else { return nil }
    let columns = String(decoding: text[beginning.count...].dropLast(2), as: UTF8.self)
    let path = columns.replacing("\",\"", with: "+")
    let owner = name.utf8.prefix(max(0, name.utf8.count - StoredNames.indexTable(of: "", path: path).utf8.count))
    let place = (table: String(decoding: owner, as: UTF8.self), path: path)
    guard text == TableFormat.squeezed(table(name, path: path)), !owner.isEmpty,
      StoredNames.indexTable(of: place.table, path: path).hasSameBytes(as: name)
    else { return nil }
    return place
  }
}

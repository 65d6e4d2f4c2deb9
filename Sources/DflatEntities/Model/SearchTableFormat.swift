import DflatCore
import DflatSQLite
import DflatSupport

/// The documented SQL of full-text indexes, each an FTS5 table with the five tables in which SQLite's module keeps its
/// contents, and the comparison with it.
///
/// Only this SQL is accepted: another option could make the module use any other table of the file.
enum SearchTableFormat {
  static let tokenizer = "unicode61 remove_diacritics 2"

  /// The suffixes of the module's own tables, after the name of the index's table.
  static let suffixes = ["data", "idx", "content", "docsize", "config"]

  static func table(_ name: String, columns: [String]) -> String {
    let columns = columns.map(quoted).joined(separator: ", ")
    return "CREATE VIRTUAL TABLE \(quoted(name)) USING fts5(\(columns), tokenize='\(tokenizer)')"
  }

  /// Creates an index that has no copy of its texts. Never used in a file.
  static func temporaryTable(_ name: String, columns: [String]) -> String {
    let columns = columns.map(quoted).joined(separator: ", ")
    return "CREATE VIRTUAL TABLE \(quoted(name)) USING fts5(\(columns), content='', tokenize='\(tokenizer)')"
  }

  /// Returns the names of a full-text index's tables.
  static func tables(of name: String) -> [String] { [name] + suffixes.map { "\(name)_\($0)" } }

  /// Returns the SQL of one of the module's own tables, as the module writes it.
  static func ownTable(_ name: String, _ suffix: String, columnCount: Int) -> String {
    let columns =
      switch suffix {
      case "data": "id INTEGER PRIMARY KEY, block BLOB"
      case "idx": "segid, term, pgno, PRIMARY KEY(segid, term)"
      case "content": (["id INTEGER PRIMARY KEY"] + (0..<columnCount).map { "c\($0)" }).joined(separator: ", ")
      case "docsize": "id INTEGER PRIMARY KEY, sz BLOB"
      default: "k PRIMARY KEY, v"
      }
    let ending = suffix == "idx" || suffix == "config" ? " WITHOUT ROWID" : ""
    return "CREATE TABLE '\(name)_\(suffix)'(\(columns))\(ending)"
  }

  // MARK: Checking

  /// Returns the indexes that a table of a full-text index has to have; nil for any other table.
  static func indexes(ofTable name: String, _ sql: String) -> TableFormat.Indexes? {
    if place(of: name, sql) != nil { return TableFormat.Indexes.none }
    for suffix in suffixes where name.utf8.count > suffix.utf8.count + 1 && name.hasSuffix("_" + suffix) {
      let owner = String(name.dropLast(suffix.utf8.count + 1))
      guard let place = place(of: owner),
        isSameApartFromStyle(sql, ownTable(owner, suffix, columnCount: place.columns.count))
      else { continue }
      return suffix == "idx" || suffix == "config" ? .automatic(origin: "pk") : TableFormat.Indexes.none
    }
    return nil
  }

  /// Returns true if two statements of SQLite's module differ at most in white space, in the case of ASCII letters, and
  /// in the quotes around names: another version of the module may write these differently. Without its quotes, the
  /// documented SQL has nothing but names and types, so every statement that is equal to it declares the same table, or
  /// one without the columns that the module reads.
  private static func isSameApartFromStyle(_ sql: String, _ other: String) -> Bool {
    func plain(_ sql: String) -> [UInt8] {
      let quotes = "'\"`[]".utf8
      let bytes = sql.utf8.filter { !quotes.contains($0) }
      return TableFormat.squeezed(String(decoding: bytes, as: UTF8.self)).map { byte in
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      }
    }
    return plain(sql) == plain(other)
  }

  /// Returns the table and the path of a full-text index; nil for any other table.
  static func place(of name: String, _ sql: String) -> (table: String, path: String)? {
    guard let place = place(of: name), TableFormat.isSame(sql, table(name, columns: place.columns)) else { return nil }
    return (place.table, place.path)
  }

  /// Returns the table, the path and the columns that the name of a full-text index states.
  static func place(of name: String) -> (table: String, path: String, columns: [String])? {
    guard let (table, path) = StoredNames.searchPlace(of: name) else { return nil }
    return (table, path, StoredNames.searchColumns(of: path))
  }

  /// Returns true if there is a table of that name with the form of a full-text index.
  static func isSearchTable(_ name: String, on connection: Connection) throws -> Bool {
    let found = try TableFormat.entries(named: name, on: connection)
    return found.count == 1 && found[0].type == "table" && place(of: name, found[0].sql) != nil
  }

  /// Returns true if one of the index's tables is as documented.
  static func isOwnTableSound(_ table: String, on connection: Connection) throws -> Bool {
    do { return try TableFormat.requireSound(table, on: connection, indexes: indexes) } catch let error
      as WorkspaceError where error.code == .corrupt
    {
      return false
    }
  }

  /// Returns true if the index's table and all of the module's own tables are as documented.
  static func isSound(_ name: String, on connection: Connection) throws -> Bool {
    try tables(of: name).allSatisfy { try isOwnTableSound($0, on: connection) }
  }
}

import DflatCore
import DflatSQLite
import DflatSupport

/// The documented SQL of the entities' tables, and the comparison with it.
package enum EntityTableFormat {
  package static let sequences =
    "CREATE TABLE dflat_entity (name TEXT PRIMARY KEY, last_rowid INTEGER NOT NULL) WITHOUT ROWID"
  static let indexListName = "dflat_index"
  static let indexList = """
    CREATE TABLE dflat_index (
      table_name TEXT NOT NULL, path TEXT NOT NULL, definition TEXT NOT NULL, filled_to INTEGER NOT NULL,
      last INTEGER NOT NULL, checked INTEGER NOT NULL, PRIMARY KEY (table_name, path)) WITHOUT ROWID
    """

  package static func entity(_ name: String, keyCount: Int) -> String {
    let keys = StoredNames.keyColumns(keyCount).joined(separator: ", ")
    return "CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \(keys), payload BLOB NOT NULL, UNIQUE (\(keys)))"
  }

  static func indexTable(_ name: String, path: String) -> String {
    "CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \(columns(ofPath: path)))"
  }

  static func index(_ table: String, path: String) -> String {
    "CREATE INDEX \(quoted(StoredNames.index(on: table))) ON \(quoted(table)) (\(columns(ofPath: path)), rowid)"
  }

  private static func columns(ofPath path: String) -> String {
    StoredNames.indexColumns(ofPath: path).map(quoted).joined(separator: ", ")
  }

  // MARK: Checking

  /// Returns the indexes that the table of a name has to have; nil if it is none of the entities' tables.
  static func indexes(ofTable name: String, _ sql: String) -> TableFormat.Indexes? {
    switch name {
    case "dflat_entity": return TableFormat.isSame(sql, sequences) ? .automatic(origin: "pk") : nil
    case indexListName: return TableFormat.isSame(sql, indexList) ? .automatic(origin: "pk") : nil
    default: break
    }
    if isEntityTable(name, sql) { return .automatic(origin: "u") }
    if let indexes = SearchTableFormat.indexes(ofTable: name, sql) { return indexes }
    guard let place = indexPlace(of: name, sql) else { return nil }
    return .created(name: StoredNames.index(on: name), sql: index(name, path: place.path))
  }

  /// Throws `.corrupt` unless the table matches this format. Returns false if there is no table of that name.
  @discardableResult
  static func requireSound(_ name: String, on connection: Connection) throws -> Bool {
    try TableFormat.requireSound(name, on: connection, indexes: indexes)
  }

  /// Returns false if statements that use the table throw `.corrupt`.
  static func isSound(_ name: String, on connection: Connection) throws -> Bool {
    do { return try requireSound(name, on: connection) } catch let error as WorkspaceError where error.code == .corrupt
    {
      return false
    }
  }

  /// Returns true if there is a table of that name with the form of an index table for the path.
  static func isIndexTable(_ name: String, path: String, on connection: Connection) throws -> Bool {
    let found = try TableFormat.entries(named: name, on: connection)
    return found.count == 1 && found[0].type == "table"
      && TableFormat.isSame(found[0].sql, indexTable(name, path: path))
  }

  /// Returns true if there is a table or a view of that name, or of a name that SQLite treats as equal.
  static func isNameTaken(_ name: String, on connection: Connection) throws -> Bool {
    try !TableFormat.entries(named: name, on: connection).isEmpty
  }

  /// Returns true if the SQL of a table has the form of an entity table.
  static func isEntityTable(_ name: String, _ sql: String) -> Bool { keyCount(ofTable: name, sql) != nil }

  /// Returns the number of columns of the primary key in the SQL of an entity table; nil for any other table.
  package static func keyCount(ofTable name: String, _ sql: String) -> Int? {
    let count = sql.occurrences(of: StoredNames.keyColumnPrefix) / 2
    return count > 0 && TableFormat.isSame(sql, entity(name, keyCount: count)) ? count : nil
  }

  /// Returns true for the tables of this format: those of entities, and of their indexes.
  package static func isKnown(_ name: String, _ sql: String) -> Bool { indexes(ofTable: name, sql) != nil }

  /// Returns the table and the path of an index table; nil for any other table.
  static func indexPlace(of name: String, _ sql: String) -> (table: String, path: String)? {
    // The path is the names of the columns after the first, joined by '+', and the suffix of the table's name.
    let text = TableFormat.squeezed(sql)
    let beginning = TableFormat.squeezed("CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \"")
    guard text.starts(with: beginning), text.count > beginning.count + 2 else { return nil }
    let columns = String(decoding: text[beginning.count...].dropLast(2), as: UTF8.self)
    let path = columns.replacing("\",\"", with: "+")
    let table = name.utf8.prefix(max(0, name.utf8.count - StoredNames.indexTable(of: "", path: path).utf8.count))
    let place = (table: String(decoding: table, as: UTF8.self), path: path)
    guard text == TableFormat.squeezed(indexTable(name, path: path)), !table.isEmpty,
      StoredNames.indexTable(of: place.table, path: path).hasSameBytes(as: name)
    else { return nil }
    return place
  }
}

extension Connection {
  /// Returns the names of the tables of objects that the file lists, sorted.
  func entityTables() throws -> [String] {
    var tables: [String] = []
    guard try hasTable("dflat_entity") else { return tables }
    try prepare("SELECT name FROM dflat_entity ORDER BY name").forEachRow { tables.append($0.string(at: 0)) }
    return tables
  }
}

extension String {
  /// Returns the number of occurrences of a text, including overlapping ones.
  fileprivate func occurrences(of part: String) -> Int {
    let part = Array(part.utf8)
    let bytes = Array(utf8)
    guard bytes.count >= part.count else { return 0 }
    return (0...(bytes.count - part.count)).count { bytes[$0...].starts(with: part) }
  }
}

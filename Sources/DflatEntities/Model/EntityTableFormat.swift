import DflatCore
import DflatSQLite
import DflatSupport

/// The documented SQL of the entities' tables, and the comparison with it. `IndexTableFormat` and `SearchTableFormat`
/// have that of their indexes.
package enum EntityTableFormat {
  package static let sequences =
    "CREATE TABLE dflat_entity (name TEXT PRIMARY KEY, last_rowid INTEGER NOT NULL) WITHOUT ROWID"

  package static func entity(_ name: String, keyCount: Int) -> String {
    let keys = StoredNames.keyColumns(keyCount).joined(separator: ", ")
    return "CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \(keys), payload BLOB NOT NULL, UNIQUE (\(keys)))"
  }

  // MARK: Checking

  /// Returns the indexes that the table of a name has to have; nil if it is none of the entities' tables.
  static func indexes(ofTable name: String, _ sql: String) -> TableFormat.Indexes? {
    switch name {
    case "dflat_entity": return TableFormat.isSame(sql, sequences) ? .automatic(origin: "pk") : nil
    case IndexTableFormat.listName:
      return TableFormat.isSame(sql, IndexTableFormat.list) ? .automatic(origin: "pk") : nil
    default: break
    }
    if isEntityTable(name, sql) { return .automatic(origin: "u") }
    if let indexes = SearchTableFormat.indexes(ofTable: name, sql) { return indexes }
    guard let place = IndexTableFormat.place(of: name, sql) else { return nil }
    return .created(name: StoredNames.index(on: name), sql: IndexTableFormat.index(name, path: place.path))
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
}

extension Connection {
  /// Returns the names of the tables of objects that the file lists, sorted. Throws `.corrupt` if they don't come in
  /// this order: in a damaged file, many paths may lead to the same page of the list, and callers read a table for each
  /// name.
  func entityTables() throws -> [String] {
    var tables: [String] = []
    guard try hasTable("dflat_entity") else { return tables }
    try prepare("SELECT name FROM dflat_entity WHERE typeof(name) = 'text' ORDER BY name").forEachRow { row in
      let name = row.string(at: 0)
      if let last = tables.last, !last.precedesInBytes(name) {
        throw WorkspaceError.rowsOutOfOrder(in: "dflat_entity", path: path)
      }
      tables.append(name)
    }
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

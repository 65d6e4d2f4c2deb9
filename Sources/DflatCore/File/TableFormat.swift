import DflatSQLite

/// The format's tables, and the checks that a file's tables match them.
///
/// A file is untrusted input: a table could be a view with an endless recursion, have a generated column, or have an
/// index or trigger that runs its author's code at each write. So a table is used only if its SQL is the documented
/// one, and nothing but the documented index is attached to it. Tables that this format doesn't use may have any form.
enum TableFormat {
  static let log = """
    CREATE TABLE dflat_log (
      commit_number INTEGER PRIMARY KEY, writer INTEGER NOT NULL, changes BLOB NOT NULL)
    """
  static let dictionary = """
    CREATE TABLE dictionary (
      namespace TEXT NOT NULL, key TEXT NOT NULL, type INTEGER NOT NULL, value, version TEXT,
      commit_number INTEGER NOT NULL, PRIMARY KEY (namespace, key)) WITHOUT ROWID
    """
  static let sequences =
    "CREATE TABLE dflat_entity (name TEXT PRIMARY KEY, last_rowid INTEGER NOT NULL) WITHOUT ROWID"
  static let indexes = """
    CREATE TABLE dflat_index (
      table_name TEXT NOT NULL, path TEXT NOT NULL, definition TEXT NOT NULL, filled_to INTEGER NOT NULL,
      last INTEGER NOT NULL, checked INTEGER NOT NULL, PRIMARY KEY (table_name, path)) WITHOUT ROWID
    """

  static func entity(_ name: String, keyCount: Int) -> String {
    let keys = (0..<keyCount).map { "__pk\($0)" }.joined(separator: ", ")
    return "CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \(keys), payload BLOB NOT NULL, UNIQUE (\(keys)))"
  }

  static func indexTable(_ name: String, path: String) -> String {
    "CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \(quoted(path)))"
  }

  static func index(_ table: String, path: String) -> String {
    "CREATE INDEX \(quoted("index__" + table)) ON \(quoted(table)) (\(quoted(path)), rowid)"
  }

  // MARK: Checking

  /// Throws `.corrupt` unless the tables that every file has, or may have, match this format. Reads the schema, but no
  /// rows.
  static func requireSoundFile(_ connection: Connection) throws {
    for name in ["dflat_log", "dictionary"] {
      guard try requireSound(name, on: connection) else {
        throw damage(name, "is missing", connection)
      }
    }
    for name in ["dflat_entity", "dflat_index"] { try requireSound(name, on: connection) }
  }

  /// Throws `.corrupt` unless the table matches this format. Returns false if there is no table of that name.
  @discardableResult
  static func requireSound(_ name: String, on connection: Connection) throws -> Bool {
    // Check the table's SQL.
    let statement = try connection.statement(.tablesNamed)
    try statement.bind(name, at: 1)
    var rows: [(type: String, sql: String)] = []
    try statement.forEachRow { rows.append(($0.string(at: 0), $0.string(at: 1))) }
    guard let row = rows.first else { return false }
    guard rows.count == 1, row.type == "table", let format = format(of: name, row.sql) else {
      throw damage(name, "is not defined as this format requires", connection)
    }
    // Check its triggers and indexes.
    let triggers = try connection.statement(.triggersOfTable)
    try triggers.bind(name, at: 1)
    if let trigger = try triggers.firstRow({ $0.string(at: 0) }) {
      throw damage(name, "has the trigger '\(trigger)', which this format doesn't have", connection)
    }
    try requireIndexes(format, of: name, on: connection)
    return true
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
    let statement = try connection.statement(.tablesNamed)
    try statement.bind(name, at: 1)
    var found: [(type: String, sql: String)] = []
    try statement.forEachRow { found.append(($0.string(at: 0), $0.string(at: 1))) }
    return found.count == 1 && found[0].type == "table"
      && squeezed(found[0].sql) == squeezed(indexTable(name, path: path))
  }

  /// Returns true if there is a table or a view of that name, or of a name that SQLite treats as equal.
  static func isNameTaken(_ name: String, on connection: Connection) throws -> Bool {
    let statement = try connection.statement(.tablesNamed)
    try statement.bind(name, at: 1)
    return try statement.hasRow()
  }

  /// Returns the tables in the schema, ordered by name.
  static func tables(on connection: Connection) throws -> [(name: String, sql: String)] {
    var tables: [(String, String)] = []
    try connection.statement(.allTables).forEachRow { tables.append(($0.string(at: 0), $0.string(at: 1))) }
    return tables
  }

  /// Returns true if the SQL of a table has the form of an entity table.
  static func isEntityTable(_ name: String, _ sql: String) -> Bool {
    let keyCount = sql.occurrences(of: "__pk") / 2
    return keyCount > 0 && squeezed(sql) == squeezed(entity(name, keyCount: keyCount))
  }

  /// Returns the table and the path of an index table; nil for any other table.
  static func indexPlace(of name: String, _ sql: String) -> (table: String, path: String)? {
    // The path is the name of the second column, and the suffix of the table's name.
    let text = squeezed(sql)
    let beginning = squeezed("CREATE TABLE \(quoted(name)) (rowid INTEGER PRIMARY KEY, \"")
    guard text.starts(with: beginning), text.count > beginning.count + 2 else { return nil }
    let path = String(decoding: text[beginning.count...].dropLast(2), as: UTF8.self)
    let table = name.utf8.dropLast(path.utf8.count)
    guard text == squeezed(indexTable(name, path: path)), table.count > 2, table.suffix(2).elementsEqual("__".utf8),
      name.utf8.suffix(path.utf8.count).elementsEqual(path.utf8)
    else { return nil }
    return (String(decoding: table.dropLast(2), as: UTF8.self), path)
  }

  /// Throws `.corrupt` unless the table that a statement uses exists and matches this format.
  static func requireTable(_ name: String, on connection: Connection) throws {
    if try requireSound(name, on: connection) { return }
    throw damage(name, "is not in the schema", connection)
  }

  /// The indexes that a table has.
  private enum Format: Equatable {
    /// The index of the primary key or UNIQUE constraint, which SQLite creates by itself. `origin` is its value in the
    /// pragma `index_list`.
    case keyed(origin: String)
    case plain
    case indexed(path: String)
  }

  /// Returns the format of the table of that name, or nil if the SQL isn't the documented one.
  private static func format(of name: String, _ sql: String) -> Format? {
    let text = squeezed(sql)
    func isText(_ expected: String) -> Bool { text == squeezed(expected) }
    switch name {
    case "dflat_log": return isText(log) ? .plain : nil
    case "dictionary": return isText(dictionary) ? .keyed(origin: "pk") : nil
    case "dflat_entity": return isText(sequences) ? .keyed(origin: "pk") : nil
    case "dflat_index": return isText(indexes) ? .keyed(origin: "pk") : nil
    default: break
    }
    if isEntityTable(name, sql) { return .keyed(origin: "u") }
    return indexPlace(of: name, sql).map { .indexed(path: $0.path) }
  }

  /// Checks a table's indexes as SQLite parsed them: an entry of the schema could name another table than its SQL.
  private static func requireIndexes(_ format: Format, of name: String, on connection: Connection) throws {
    var found: [(name: String, origin: String)] = []
    try connection.prepare("PRAGMA index_list(\(quoted(name)))").forEachRow { row in
      found.append((row.string(at: 1), row.string(at: 3)))
    }
    let isSound =
      switch format {
      case .plain: found.isEmpty
      case .keyed(let origin): found.map(\.origin) == [origin]
      case .indexed(let path):
        try found.count == 1 && found[0].name.hasSameBytes(as: "index__" + name)
          && squeezed(connection.sqlOfIndex(named: "index__" + name)) == squeezed(index(name, path: path))
      }
    if !isSound { throw damage(name, "doesn't have the indexes that this format requires", connection) }
  }

  private static func damage(_ name: String, _ what: String, _ connection: Connection) -> WorkspaceError {
    WorkspaceError(
      .corrupt, "'\(name)' in '\(connection.path)' \(what); restore a backup.", path: connection.path)
  }

  /// Returns SQL without insignificant white space, so that copies that other tools make of a file compare equal.
  private static func squeezed(_ sql: String) -> [UInt8] {
    let punctuation: Set<UInt8> = [UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ",")]
    var result: [UInt8] = []
    var isSpaceDue = false
    for byte in sql.utf8 {
      if byte == 0x20 || (0x09...0x0d).contains(byte) {
        isSpaceDue = true
        continue
      }
      if isSpaceDue, let last = result.last, !punctuation.contains(last), !punctuation.contains(byte) {
        result.append(0x20)
      }
      isSpaceDue = false
      result.append(byte)
    }
    return result
  }
}

extension Connection {
  fileprivate func sqlOfIndex(named name: String) throws -> String {
    let statement = try statement(.indexNamed)
    try statement.bind(name, at: 1)
    return try statement.firstRow { $0.string(at: 0) } ?? ""
  }
}

extension SQL {
  fileprivate static let tablesNamed = SQL(
    "SELECT type, sql FROM sqlite_master WHERE name = ?1 COLLATE NOCASE AND type <> 'index' AND type <> 'trigger'")
  fileprivate static let allTables = SQL("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
  fileprivate static let triggersOfTable = SQL(
    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE")
  fileprivate static let indexNamed = SQL("SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ?1")
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

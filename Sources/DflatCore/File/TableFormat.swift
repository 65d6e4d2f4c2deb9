package import DflatSQLite
import DflatSupport

/// Checks that a file's tables match this format.
///
/// A file is untrusted input: a table could be a view with an endless recursion, have a generated column, or have an
/// index or trigger that runs its author's code at each write. So a table is used only if its SQL is the documented
/// one, and nothing but the documented index is attached to it. Tables that this format doesn't use may have any form.
package enum TableFormat {
  /// The indexes that a table has.
  package enum Indexes: Equatable {
    case none
    /// The index of the primary key or UNIQUE constraint, which SQLite creates by itself. `origin` is its value in the
    /// pragma `index_list`.
    case automatic(origin: String)
    /// The index of the primary key, and one that a statement creates when the table first needs it.
    case automaticAndOptional(origin: String, name: String, sql: String)
    /// One index, which a statement created.
    case created(name: String, sql: String)
  }

  /// Returns the indexes of the table of a name, or nil if the SQL isn't the documented one.
  package typealias Lookup = (_ name: String, _ sql: String) -> Indexes?

  /// Throws `.corrupt` unless the table matches its format. Returns false if there is no table of that name. Reads the
  /// schema, but no rows.
  @discardableResult
  package static func requireSound(
    _ name: String, on connection: Connection, indexes: Lookup
  ) throws -> Bool {
    // Check the table's SQL.
    let rows = try entries(named: name, on: connection)
    guard let row = rows.first else { return false }
    guard rows.count == 1, row.type == "table", let expected = indexes(name, row.sql) else {
      throw damage(name, "is not defined as this format requires", connection)
    }
    // Check its triggers and indexes.
    let triggers = try connection.statement(.triggersOfTable)
    try triggers.bind(name, at: 1)
    if let trigger = try triggers.firstRow({ $0.string(at: 0) }) {
      throw damage(name, "has the trigger '\(trigger)', which this format doesn't have", connection)
    }
    try require(expected, of: name, on: connection)
    return true
  }

  /// Returns the tables and views of a name, or of a name that SQLite treats as equal.
  package static func entries(named name: String, on connection: Connection) throws -> [(type: String, sql: String)] {
    let statement = try connection.statement(.tablesNamed)
    try statement.bind(name, at: 1)
    var entries: [(type: String, sql: String)] = []
    try statement.forEachRow { entries.append(($0.string(at: 0), $0.string(at: 1))) }
    return entries
  }

  /// Returns the tables in the schema, ordered by name.
  package static func tables(on connection: Connection) throws -> [(name: String, sql: String)] {
    var tables: [(String, String)] = []
    try connection.statement(.allTables).forEachRow { tables.append(($0.string(at: 0), $0.string(at: 1))) }
    return tables
  }

  /// Checks a table's indexes as SQLite parsed them: an entry of the schema could name another table than its SQL.
  private static func require(_ expected: Indexes, of name: String, on connection: Connection) throws {
    var found: [(name: String, origin: String)] = []
    try connection.prepare("PRAGMA index_list(\(quoted(name)))").forEachRow { row in
      found.append((row.string(at: 1), row.string(at: 3)))
    }
    let isSound =
      switch expected {
      case .none: found.isEmpty
      case .automatic(let origin): found.map(\.origin) == [origin]
      case .automaticAndOptional(let origin, let index, let sql):
        try found.allSatisfy { found in
          try found.origin == origin
            || found.name.hasSameBytes(as: index) && isSame(connection.sqlOfIndex(named: index), sql)
        } && found.count { $0.origin == origin } == 1 && found.count <= 2
      case .created(let index, let sql):
        try found.count == 1 && found[0].name.hasSameBytes(as: index)
          && isSame(connection.sqlOfIndex(named: index), sql)
      }
    if !isSound { throw damage(name, "doesn't have the indexes that this format requires", connection) }
  }

  package static func damage(_ name: String, _ what: String, _ connection: Connection) -> WorkspaceError {
    WorkspaceError(
      .corrupt, "'\(name)' in '\(connection.path)' \(what); restore a backup.", path: connection.path)
  }

  /// Returns true if two statements differ at most in insignificant white space.
  package static func isSame(_ sql: String, _ other: String) -> Bool { squeezed(sql) == squeezed(other) }

  /// Returns SQL without insignificant white space, so that copies that other tools make of a file compare equal.
  package static func squeezed(_ sql: String) -> [UInt8] {
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

extension String {
  /// A CREATE TABLE statement that does nothing if the table exists.
  package var creatingIfMissing: String { "CREATE TABLE IF NOT EXISTS" + dropFirst("CREATE TABLE".count) }
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

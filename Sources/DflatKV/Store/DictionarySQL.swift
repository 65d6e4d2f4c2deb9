import DflatCore
import DflatSQLite

/// The SQL of the dictionary's rows. `DictionaryTables` creates the table.
extension SQL {
  static let load = SQL(
    "SELECT type, value, version, commit_number FROM dictionary WHERE namespace = ?1 AND key = ?2")
  static let replace = SQL(
    "REPLACE INTO dictionary (namespace, key, type, value, version, commit_number) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
  /// Leaves the row unchanged if it already has the value.
  static let store = SQL(
    """
    INSERT INTO dictionary (namespace, key, type, value, version, commit_number) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
    ON CONFLICT (namespace, key) DO UPDATE SET type = excluded.type, value = excluded.value, \
    version = excluded.version, commit_number = excluded.commit_number \
    WHERE type IS NOT excluded.type OR value IS NOT excluded.value OR version IS NOT excluded.version
    """)
  static let remove = SQL("DELETE FROM dictionary WHERE namespace = ?1 AND key = ?2")
  static let removeAll = SQL("DELETE FROM dictionary WHERE namespace = ?1")
  static let removeRange = SQL("DELETE FROM dictionary WHERE namespace = ?1 AND key >= ?2 AND key < ?3")
  static let countInRange = SQL("SELECT count(*) FROM dictionary WHERE namespace = ?1 AND key >= ?2 AND key < ?3")
  static let keysInRange = SQL(
    "SELECT key FROM dictionary WHERE namespace = ?1 AND key >= ?2 AND key < ?3 ORDER BY key")
  static let rowsInRange = SQL(
    """
    SELECT type, value, version, commit_number, key FROM dictionary \
    WHERE namespace = ?1 AND key >= ?2 AND key < ?3 ORDER BY key
    """)
  static let namespaces = SQL("SELECT DISTINCT namespace FROM dictionary ORDER BY namespace")
}

/// A row of the dictionary table.
struct DictionaryRow {
  let value: CachedValue
  let commitNumber: UInt64
}

/// Runs the dictionary's statements with Swift values.
enum DictionaryTable {
  static func load(_ key: String, in namespace: String, on connection: Connection) throws -> DictionaryRow? {
    let statement = try connection.statement(.load)
    try statement.bind(repeated: namespace, at: 1)
    var found: DictionaryRow?
    try statement.withBound(key, at: 2) { found = try statement.firstRow { try row($0) } }
    return found
  }

  /// Stores a value. Returns false if the row already has it and stays unchanged.
  ///
  /// The write statement itself compares the stored value: that is faster than a query before it, and a little slower
  /// than an unconditional REPLACE. So a value that is known to differ replaces the row.
  static func store(
    _ value: CachedValue, for key: String, in namespace: String, at commitNumber: UInt64, isKnownToDiffer: Bool,
    on connection: Connection
  ) throws -> Bool {
    var replaces = isKnownToDiffer
    if !replaces, value.isZero {
      // SQLite treats 0.0 and -0.0 as equal, so compare here. A row that can't be decoded counts as different.
      do {
        if let row = try load(key, in: namespace, on: connection), row.value.isIdentical(to: value) { return false }
      } catch is WorkspaceError {}
      replaces = true
    }
    let statement = try connection.statement(replaces ? .replace : .store)
    try statement.bind(repeated: namespace, at: 1)
    try ValueColumns.bind(value, to: statement)
    statement.bind(Int64(bitPattern: commitNumber), at: 6)
    try statement.withBound(key, at: 2) { try statement.run() }
    return replaces || connection.changedRows > 0
  }

  /// Removes a key. Returns true if it existed.
  static func remove(_ key: String, in namespace: String, on connection: Connection) throws -> Bool {
    let statement = try connection.statement(.remove)
    try statement.bind(namespace, at: 1)
    try statement.bind(key, at: 2)
    try statement.run()
    return connection.changedRows > 0
  }

  /// Removes the keys that begin with a prefix. Returns true if there were any.
  static func remove(prefix: String, in namespace: String, on connection: Connection) throws -> Bool {
    let statement = try connection.statement(prefix.isEmpty ? .removeAll : .removeRange)
    try statement.bind(namespace, at: 1)
    if !prefix.isEmpty { try bindRange(of: prefix, to: statement) }
    try statement.run()
    return connection.changedRows > 0
  }

  /// Removes the keys that begin with a prefix, except `kept`, which must all exist. Returns true if it removed any.
  static func remove(
    prefix: String, in namespace: String, except kept: [String], on connection: Connection
  ) throws -> Bool {
    if kept.isEmpty { return try remove(prefix: prefix, in: namespace, on: connection) }
    let counting = try connection.statement(.countInRange)
    try counting.bind(namespace, at: 1)
    try bindRange(of: prefix, to: counting)
    let others = (try counting.firstRow { $0.int64(at: 0) } ?? 0) - Int64(kept.count)
    if others <= 0 { return false }
    let sorted = kept.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    var isAny = false
    // If the other keys are few, look up the gaps that hold them. Otherwise run a statement for every gap: on average
    // each removes about one key or more.
    let places =
      try others < kept.count ? gaps(between: sorted, prefix, namespace, connection) : Array(0...sorted.count)
    for gap in places {
      let statement = try connection.statement(.removeRange)
      try statement.bind(namespace, at: 1)
      // A key followed by a zero byte is the key's successor: no text sorts between them.
      try statement.bind(text: gap == 0 ? Array(prefix.utf8) : sorted[gap - 1] + [0], at: 2)
      try statement.bind(text: gap == sorted.count ? Self.end(of: prefix) : sorted[gap], at: 3)
      try statement.run()
      isAny = isAny || connection.changedRows > 0
    }
    return isAny
  }

  /// Returns the gaps between the sorted keys that hold other keys of the range. Gap n lies before key n.
  private static func gaps(
    between sorted: [[UInt8]], _ prefix: String, _ namespace: String, _ connection: Connection
  ) throws -> [Int] {
    let rows = try connection.statement(.keysInRange)
    try rows.bind(namespace, at: 1)
    try bindRange(of: prefix, to: rows)
    var gaps: [Int] = []
    var gap = 0
    try rows.forEachRow { row in
      row.withBytes(at: 0) { key in
        while gap < sorted.count, sorted[gap].lexicographicallyPrecedes(key) { gap += 1 }
        if gap < sorted.count, sorted[gap].elementsEqual(key) { return }
        if gaps.last != gap { gaps.append(gap) }
      }
    }
    return gaps
  }

  static func keys(prefix: String, in namespace: String, on connection: Connection) throws -> [String] {
    let statement = try connection.statement(.keysInRange)
    try statement.bind(namespace, at: 1)
    try bindRange(of: prefix, to: statement)
    var keys: [String] = []
    try statement.forEachRow { keys.append($0.string(at: 0)) }
    return keys
  }

  /// Visits the rows in the byte order of their keys until `body` returns false.
  static func forEachRow(
    prefix: String, in namespace: String, on connection: Connection,
    _ body: (String, DictionaryRow) throws -> Bool
  ) throws {
    let statement = try connection.statement(.rowsInRange)
    defer { statement.reset() }
    try statement.bind(namespace, at: 1)
    try bindRange(of: prefix, to: statement)
    while try statement.step() {
      guard try body(statement.string(at: 4), try row(statement)) else { return }
    }
  }

  static func namespaces(on connection: Connection) throws -> [String] {
    var names: [String] = []
    try connection.statement(.namespaces).forEachRow { names.append($0.string(at: 0)) }
    return names
  }

  private static func bindRange(of prefix: String, to statement: Statement) throws {
    try statement.bind(prefix, at: 2)
    try statement.bind(text: end(of: prefix), at: 3)
  }

  /// Returns the exclusive upper bound of a prefix's keys: UTF-8 never contains the byte 0xFF.
  private static func end(of prefix: String) -> [UInt8] { Array(prefix.utf8) + [0xff] }

  private static func row(_ statement: Statement) throws -> DictionaryRow {
    DictionaryRow(
      value: try ValueColumns.read(statement),
      commitNumber: try CommitNumber.read(3, of: statement, in: "dictionary"))
  }
}

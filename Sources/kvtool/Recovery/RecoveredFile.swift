import DflatCore
import DflatEntities
import DflatKV
import DflatSQLite
import DflatSupport

/// The new file of a recovery, which receives rows as they were stored. What programs derive from them, indexes above
/// all, they make again when they use the file.
final class RecoveredFile {
  private let connection: Connection
  private var tables: Set<ByteComparedString> = []
  /// The highest commit number of a row.
  private var commitNumber: Int64 = 0

  /// Creates the file, with the tables that every file has.
  ///
  /// - Throws: ``WorkspaceError`` if it can't be created.
  init(path: String) throws {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    do {
      let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
      defer { workspace.shutdown(flags: .truncate) }
      // A transaction creates the file, even if it changes nothing.
      try workspace.transactAndWait { _ in }
    }
    connection = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(5))
    try connection.beginImmediate()
  }

  /// The number of rows of a table; 0 if it wasn't created.
  func rowCount(of table: String) throws -> Int {
    guard try connection.hasTable(table) else { return 0 }
    return Int(try connection.integer("SELECT count(*) FROM \(DflatSQLite.quoted(table))"))
  }

  /// Commits the rows.
  func finish() throws {
    if commitNumber > 0 {
      // The file continues with the next commit. This one's row has no changes, like that of a new file.
      try connection.execute("DELETE FROM dflat_log")
      let statement = try connection.prepare(
        "INSERT INTO dflat_log (commit_number, writer, changes) VALUES (?1, 0, x'')")
      statement.bind(commitNumber, at: 1)
      try statement.run()
    }
    try connection.commit()
    connection.close()
  }

  /// Notes that the file had a commit.
  func note(commit number: Int64) {
    commitNumber = max(commitNumber, number)
  }

  // MARK: Rows

  /// Adds a row of `dictionary`, in its columns' order. Of two with the same key, the newer one stays. Returns false if
  /// that is the other one.
  func add(key row: [SQLiteRecord.Value]) throws -> Bool {
    var row = row
    // As readers take it.
    if let type = row[2].integer, 4...5 ~= type, let number = row[3].integer { row[3] = .real(Double(number)) }
    note(commit: row[5].integer ?? 0)
    if let type = row[2].integer { try StoredValue.announce(type: type, on: connection) }
    return try insert(
      """
      INSERT INTO dictionary (namespace, key, type, value, version, commit_number) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (namespace, key) DO UPDATE SET type = excluded.type, value = excluded.value,
        version = excluded.version, commit_number = excluded.commit_number
      WHERE excluded.commit_number > commit_number
      """, row)
  }

  /// Adds a row of `dflat_replaced`, in its columns' order.
  func add(replaced row: [SQLiteRecord.Value]) throws -> Bool {
    try create(ReplacedTable.name, ReplacedTable.definition)
    note(commit: row[0].integer ?? 0)
    if let type = row[4].integer { try StoredValue.announce(type: type, on: connection) }
    return try insert(
      """
      INSERT OR IGNORE INTO dflat_replaced
        (commit_number, position, namespace, key, type, version, bytes, time, priority, value)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """, row)
  }

  /// Adds a row of `dflat_schema`, in its columns' order.
  func add(schema row: [SQLiteRecord.Value]) throws {
    try create(SchemaListTable.name, SchemaListTable.definition)
    _ = try insert("INSERT OR IGNORE INTO dflat_schema (table_name, digest, schema) VALUES (?1, ?2, ?3)", row)
  }

  /// Adds an object: its key columns and its bytes. The first of several with one number, or with one key, stays.
  func add(object row: [SQLiteRecord.Value], rowid: Int64, to table: String) throws -> Bool {
    let keyCount = row.count - 1
    try createTable(table, keyCount: keyCount)
    let parameters = (1...(row.count + 1)).map { "?\($0)" }.joined(separator: ", ")
    let columns = StoredNames.keyColumns(keyCount).joined(separator: ", ")
    return try insert(
      "INSERT OR IGNORE INTO \(DflatSQLite.quoted(table)) (rowid, \(columns), payload) VALUES (\(parameters))",
      [.integer(rowid)] + row)
  }

  /// Creates a table of objects unless it exists.
  func createTable(_ name: String, keyCount: Int) throws {
    try create(name, EntityTableFormat.entity(name, keyCount: keyCount))
  }

  /// Returns true if the table was created.
  func hasTable(_ name: String) -> Bool { tables.contains(ByteComparedString(name)) }

  /// Stores the highest number that the objects of a table, which was created, have had; at least that of the recovered
  /// ones.
  func setLastRowid(_ rowid: Int64, of table: String) throws {
    try create("dflat_entity", EntityTableFormat.sequences)
    let highest = try connection.integer("SELECT ifnull(max(rowid), 0) FROM \(DflatSQLite.quoted(table))")
    _ = try insert(
      "REPLACE INTO dflat_entity (name, last_rowid) VALUES (?1, ?2)",
      [.text(Array(table.utf8)), .integer(max(rowid, highest))])
  }

  private func create(_ name: String, _ definition: String) throws {
    guard tables.insert(ByteComparedString(name)).inserted else { return }
    try connection.execute(definition)
  }

  /// Returns true if a row was inserted or replaced.
  private func insert(_ text: String, _ row: [SQLiteRecord.Value]) throws -> Bool {
    let statement = try connection.statement(text: text)
    for (index, value) in row.enumerated() {
      let index = Int32(index) + 1
      switch value {
      case .null: statement.bindNull(at: index)
      case .integer(let value): statement.bind(value, at: index)
      case .real(let value): statement.bind(value, at: index)
      case .text(let bytes): try statement.bind(text: bytes, at: index)
      case .blob(let bytes): try bytes.withUnsafeBytes { try statement.bind(blob: $0, at: index) }
      }
    }
    try statement.run()
    return connection.changedRows > 0
  }
}

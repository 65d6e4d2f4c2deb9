import DflatKV
import DflatSQLite
import Foundation
import TestSupport
import Testing

/// A file's schema is foreign code: none of it runs, and tables that differ from the format are refused.
@Suite(.timeLimit(.minutes(15))) struct HostileSchemaTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }

  /// Changes, each of which makes a sound file unsound.
  static let changes = [
    """
    ALTER TABLE dictionary RENAME TO kept;
    CREATE VIEW dictionary AS WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t)
      SELECT '' namespace, 'key0' key, 2 type, x value, NULL version, 1 commit_number FROM t WHERE x < 0
    """,
    """
    ALTER TABLE dflat_log RENAME TO kept;
    CREATE VIEW dflat_log AS WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t)
      SELECT x commit_number, 0 writer, x'' changes FROM t WHERE x < 0
    """,
    "ALTER TABLE dictionary RENAME TO kept; CREATE VIRTUAL TABLE dictionary USING fts5(namespace, key, type, value)",
    "CREATE TRIGGER t AFTER INSERT ON dictionary BEGIN UPDATE dictionary SET value = 666; END",
    "CREATE TRIGGER t AFTER INSERT ON dflat_log BEGIN UPDATE dictionary SET value = 666; END",
    "CREATE INDEX i ON dictionary (hex(value))",
    "CREATE UNIQUE INDEX i ON dictionary (value)",
    "CREATE INDEX i ON dflat_log (writer) WHERE writer > 0",
    "ALTER TABLE dictionary ADD COLUMN more AS (hex(value))",
    "ALTER TABLE dictionary RENAME COLUMN value TO content",
    "DROP TABLE dictionary",
    "DROP TABLE dflat_log",
    "DROP TABLE dictionary; CREATE TABLE dictionary (namespace, key, type, value, version, commit_number)",
    "CREATE TABLE dflat_entity (name TEXT PRIMARY KEY, last_rowid INTEGER NOT NULL CHECK (last_rowid > random()))",
    "CREATE VIEW dflat_index AS SELECT 1",
    "CREATE TABLE dflat_schema (table_name TEXT PRIMARY KEY, digest INTEGER NOT NULL, schema TEXT) WITHOUT ROWID",
    "CREATE TABLE dflat_replaced (commit_number, position, namespace, key, type, version, bytes, time, value)",
    "CREATE VIEW dflat_replaced AS SELECT * FROM dictionary",
    """
    PRAGMA writable_schema = ON;
    UPDATE sqlite_master SET sql = replace(sql, 'value,', 'value DEFAULT (random()),') WHERE name = 'dictionary'
    """,
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = 'other' WHERE name = 'dictionary'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'garbage' WHERE name = 'dictionary'",
  ]

  init() throws {
    directory = try TemporaryDirectory("hostile")
    try Files.makeDatabase(at: path, keys: 3)
  }

  @Test("A file whose tables differ from the format is refused as corrupt", arguments: changes, [false, true])
  func aTableThatIsNotTheFormats(change: String, isReadOnly: Bool) throws {
    try RawDatabase.execute(change, on: path)
    var options = SQLiteWorkspace.Options.quiet
    options.isReadOnly = isReadOnly
    let opening = try errorCode { _ = try SQLiteWorkspace.open(filePath: path, options: options) }
    #expect(opening == .corrupt)
    let lazy = SQLiteWorkspace(filePath: path, options: options)
    #expect(try errorCode { _ = try lazy.dictionary.value(forKey: "key0", as: Int.self) } == .corrupt)
    #expect(try errorCode { _ = try lazy.dictionary.entries() } == .corrupt)
    #expect(lazy.dictionary.keys == [])
    if !isReadOnly {
      #expect(try errorCode { try lazy.transactAndWait { txn in txn.dictionary["key0"] = 1 } } == .corrupt)
    }
    lazy.shutdown()
  }

  /// Other programs may define their own tables freely.
  @Test("Tables, views and triggers of other programs don't disturb a workspace")
  func tablesOfOtherProgramsMayBeAnything() throws {
    try RawDatabase.execute(
      """
      CREATE TABLE other (a, b AS (a + 1)); CREATE VIEW seen AS SELECT * FROM other, dictionary;
      CREATE TRIGGER t AFTER INSERT ON other BEGIN DELETE FROM dictionary; END; CREATE INDEX i ON other (a);
      CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO other (a) VALUES (1)
      """, on: path)
    try Files.execute("VACUUM", on: path)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.dictionary["key3"] = 3
    try workspace.dictionary.synchronize()
    #expect(workspace.dictionary.keys == ["key3"], "The trigger ran only in the other program")
    #expect(try workspace.checkIntegrity() == [])
    try workspace.compact()
    workspace.shutdown()
    #expect(try RawDatabase(path).text("SELECT b FROM other") == "2")
  }

  /// Some tools rewrite white space.
  @Test("White space in a table's SQL makes no difference")
  func anotherSpacingIsTheSameTable() throws {
    try RawDatabase.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(replace(sql, char(10), ' '), ', ', ',  ')
      """, on: path)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    #expect(workspace.dictionary["key2", Int.self] == 2)
    workspace.shutdown()
  }

  /// Statements that its connections have already prepared don't hide the change. Changes that are written into the
  /// schema table itself are left out: no connection that has the file open sees them.
  @Test(
    "A workspace refuses a schema that changes while the file is open",
    arguments: changes.filter { !$0.contains("writable_schema") })
  func aChangeWhileItIsOpen(change: String) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    #expect(try workspace.dictionary.entries().count == 3)
    try workspace.transactAndWait { txn in txn.dictionary["key1"] = 10 }
    try RawDatabase.execute(change, on: path)
    #expect(try errorCode { _ = try workspace.fetchWithinASnapshot { try workspace.dictionary.entries() } } == .corrupt)
    #expect(try errorCode { try workspace.transactAndWait { txn in txn.dictionary["key0"] = 1 } } == .corrupt)
    workspace.shutdown()
  }

  @Test("The integrity check finds schema changes that were made while the file was open", arguments: changes)
  func theCheckReadsTheSchemaAnew(change: String) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    #expect(try workspace.dictionary.entries().count == 3)
    try RawDatabase.execute(change, on: path)
    #expect(try !workspace.checkIntegrity().isEmpty)
    workspace.shutdown()
  }

  /// Each upper page of the tree names the next one as all of its children, so that a full scan practically never ends.
  @Test("Reads of a tree that practically never ends fail with corrupt")
  func aTreeThatNeverEnds() throws {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait { txn in
      for index in 0..<14_000 { txn.dictionary["\(index)" + String(repeating: "x", count: 120)] = index }
    }
    workspace.shutdown(flags: .truncate)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let pageSize = 4_096
    let inner = (1..<(bytes.count / pageSize)).filter { bytes[$0 * pageSize] == 2 }
    #expect(inner.count > 8)
    for (page, next) in zip(inner, inner.dropFirst()) {
      let start = page * pageSize
      let child = withUnsafeBytes(of: UInt32(next + 1).bigEndian) { [UInt8]($0) }
      bytes.replaceSubrange((start + 8)..<(start + 12), with: child)
      for cell in 0..<(Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])) {
        let pointer = start + 12 + 2 * cell
        let offset = start + (Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1]))
        bytes.replaceSubrange(offset..<(offset + 4), with: child)
      }
    }
    try Files.write(bytes, to: path)
    let damaged = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    #expect(try errorCode { _ = try damaged.dictionary.entries() } == .corrupt)
    #expect(try errorCode { _ = try damaged.dictionary.namespaces() } == .corrupt)
    #expect(try errorCode { _ = try damaged.fetchWithinASnapshot { try damaged.dictionary.namespaces() } } == .corrupt)
    #expect(try errorCode { try damaged.compact() } == .corrupt)
    #expect(try !damaged.checkIntegrity().isEmpty)
    damaged.shutdown()
  }

  @Test("A file with a nonsensical header is refused as corrupt", arguments: [(47, 1), (59, 1)])
  func aHeaderThatMakesNoSense(offset: Int, bits: UInt8) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    bytes[offset] ^= bits << 1
    try Files.write(bytes, to: path)
    #expect(try errorCode { _ = try SQLiteWorkspace.open(filePath: path, options: .quiet) } == .corrupt)
  }

  @Test("A header that another program changes while the file is open is reported as corrupt", arguments: [47, 59])
  func aHeaderThatChanges(offset: UInt64) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    defer { workspace.shutdown() }
    _ = try workspace.checkIntegrity()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: [112])
    try file.close()
    var codes: Set<WorkspaceError.Code> = []
    for _ in 0..<3 {
      do { try codes.formUnion(workspace.checkIntegrity().isEmpty ? [] : [.corrupt]) } catch {
        codes.insert(try #require(error as? WorkspaceError).code)
      }
      do { try workspace.compact() } catch { codes.insert(try #require(error as? WorkspaceError).code) }
    }
    #expect(codes.subtracting([.corrupt, .notADatabase]).isEmpty)
  }
}

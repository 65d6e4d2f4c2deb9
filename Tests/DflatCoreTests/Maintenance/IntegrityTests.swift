import DflatKV
import Foundation
import TestSupport
import Testing

@Suite struct IntegrityTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("integrity")
    try Files.makeDatabase(at: directory.file(), keys: 400)
  }

  private func problems(after sql: String) throws -> [String] {
    try Files.execute(sql, on: directory.file())
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    return try workspace.checkIntegrity()
  }

  @Test("The integrity check finds no problem in a sound file")
  func aSoundFile() throws { #expect(try problems(after: "SELECT 1") == []) }

  @Test(
    "The integrity check finds a value that doesn't fit its type",
    arguments: [
      "UPDATE dictionary SET value = 'text' WHERE key = 'key7'",
      "UPDATE dictionary SET value = 1.5 WHERE key = 'key7'",
      "UPDATE dictionary SET value = NULL WHERE key = 'key7'",
      "UPDATE dictionary SET type = 6 WHERE key = 'key7'",
      "UPDATE dictionary SET type = 99 WHERE key = 'key7'",
      "UPDATE dictionary SET type = 9, value = 'text' WHERE key = 'key7'",
    ])
  func aValueThatIsNotOfItsType(sql: String) throws {
    let problems = try problems(after: sql)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("1 dictionary row") == true)
  }

  @Test("The integrity check finds a commit number that was never assigned", arguments: [0, -1, 2, 1_000])
  func aCommitNumberThatWasNeverGiven(number: Int) throws {
    let problems = try problems(after: "UPDATE dictionary SET commit_number = \(number) WHERE key = 'key7'")
    #expect(problems.count == 1)
    #expect(problems.first?.contains("commit number") == true)
  }

  @Test("A damaged dictionary row is not reported as repairable")
  func unrepairable() throws {
    try Files.execute("UPDATE dictionary SET type = 99 WHERE key = 'key7'", on: directory.file())
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    #expect(try workspace.integrityProblems(of: []).map(\.isRepairable) == [false])
  }

  @Test("The integrity check reports a table of a different format as a problem, not an error")
  func foreignTables() throws {
    try Files.execute("ALTER TABLE dflat_log RENAME COLUMN changes TO other", on: directory.file())
    let workspace = SQLiteWorkspace(filePath: directory.file(), options: .quiet)
    defer { workspace.shutdown() }
    let problems = try workspace.checkIntegrity()
    #expect(problems.count == 1)
    #expect(problems.first?.contains("dflat_log") == true, "\(problems)")
  }

  /// The last page belongs to the dictionary's tree, in which a page of zeros is invalid.
  @Test(
    "The integrity check of an open file fails as opening it would if its marks have changed since",
    arguments: [
      ("PRAGMA application_id = 7", WorkspaceError.Code.foreignDatabase),
      ("PRAGMA user_version = 99", WorkspaceError.Code.newerFormat),
    ])
  func changedMarks(sql: String, code: WorkspaceError.Code) throws {
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    #expect(workspace.dictionary["key7", Int.self] == 7)
    #expect(try workspace.checkIntegrity() == [])
    try Files.execute(sql, on: directory.file())
    #expect { try workspace.checkIntegrity() } throws: { ($0 as? WorkspaceError)?.code == code }
  }

  @Test("The integrity check finds a damaged page")
  func aDamagedPage() throws {
    let path = directory.file()
    let pageSize = try Files.integer("PRAGMA page_size", on: path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes.replaceSubrange((bytes.count - pageSize)..., with: Data(count: pageSize))
    try bytes.write(to: URL(fileURLWithPath: path))
    let workspace = try TestWorkspace.open(path)
    let problems = try workspace.checkIntegrity().map { "\($0)" }
    #expect(!problems.isEmpty && problems.allSatisfy { !$0.contains("\n") && !$0.contains("***") }, "\(problems)")
    #expect(throws: WorkspaceError.self) { try workspace.dictionary.entries() }
    workspace.shutdown()
  }

  /// The check of one of their rows takes more steps than that of any row of this format.
  @Test(
    "Tables of other programs pass the check, however many steps their rows take",
    arguments: [
      (0..<100).map { "ALTER TABLE other ADD COLUMN c\($0) INTEGER NOT NULL DEFAULT 0" },
      (0..<60).map { "CREATE INDEX i\($0) ON other (a) WHERE a > \($0)" },
      [
        "ALTER TABLE other ADD COLUMN b INTEGER NOT NULL DEFAULT 0 CHECK ("
          + (0..<100).map { "b <> \($0 + 1)" }.joined(separator: " AND ") + ")"
      ],
    ])
  func tablesOfOtherPrograms(schema: [String]) throws {
    let path = directory.file()
    // Columns that are added later take no space in existing rows.
    try RawDatabase.execute(
      """
      CREATE TABLE other (a);
      INSERT INTO other (a) WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 60000)
        SELECT NULL FROM n;
      """ + schema.joined(separator: "; "), on: path)
    let workspace = try TestWorkspace.open(path)
    defer { workspace.shutdown() }
    #expect(try workspace.checkIntegrity() == [])
    #expect(try workspace.reindex() == [])
    try workspace.compact()
    #expect(try RawDatabase(path).text("SELECT count(*) FROM other") == "60000")
  }
}

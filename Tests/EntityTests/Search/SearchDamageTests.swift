import DflatKV
import DflatSQLite
import TestSupport
import Testing

@testable import DflatEntities

/// Damaged and hostile full-text indexes: found by checks, rebuilt by repairs, and never used.
@Suite struct SearchDamageTests {
  private typealias Note = Page<TitleOnly>
  private static let index = "page__search__f6"
  private static let definition =
    "CREATE VIRTUAL TABLE \"\(index)\" USING fts5(\"f6\", tokenize='unicode61 remove_diacritics 2')"

  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    try test.workspace.insert(Note("a", "red fox"), Note("b", "grey wolf"), Note("c"))
  }

  private func found(_ search: String, in workspace: SQLiteWorkspace) throws -> [String] {
    try workspace.query(for: Note.self).where(Note.title.matches(search)).fetch().map(\.fields.key)
  }

  /// Changes the file as a program without this library's rules would, and opens it again.
  private func damaged(_ sql: String, _ body: (SQLiteWorkspace) throws -> Void) throws {
    workspace.shutdown()
    try RawDatabase.execute(sql, on: test.path)
    let opened = try TestWorkspace.open(test.path) { $0.fillsIndexes = false }
    defer { opened.shutdown() }
    try body(opened)
  }

  @Test(
    "Indexes that don't agree with the objects are reported and rebuilt",
    arguments: [
      ("DELETE FROM \(index) WHERE rowid = 2", "lacks 1 row; the first is row 2"),
      ("UPDATE \(index) SET f6 = 'hen' WHERE rowid = 1", "different value in 1 row; the first is row 1"),
      ("INSERT INTO \(index) (rowid, f6) VALUES (7, 'fox')", "1 row without an object; the first is row 7"),
      ("UPDATE \(index)_content SET c0 = 'hen' WHERE id = 1", "different value in 1 row"),
      ("UPDATE \(index)_content SET c0 = x'00' WHERE id = 3", "different value in 1 row"),
      (
        "UPDATE \(index) SET f6 = 'hen' WHERE rowid = 1; UPDATE \(index)_content SET c0 = 'red fox' WHERE id = 1",
        "other words than its texts"
      ),
      ("DELETE FROM \(index)_data WHERE id > 10", "other words than its texts"),
      ("UPDATE \(index)_config SET v = 99 WHERE k = 'version'", "other words than its texts"),
      ("DROP TABLE \(index)_docsize", "is not defined as this format requires"),
      ("DROP TABLE \(index)", "is missing"),
    ])
  func repair(_ sql: String, _ problem: String) throws {
    try damaged(sql) { (workspace) throws in
      let problems = try workspace.checkIntegrity([Note.self])
      #expect(problems.count == 1 && problems.first?.contains(problem) == true, "\(problems)")
      let lines = try workspace.reindex([Note.self])
      #expect(lines.count == 1 && lines.first?.contains("full-text index") == true, "\(lines)")
      #expect(try workspace.checkIntegrity([Note.self]) == [])
      #expect(try found("fox", in: workspace) == ["a"])
      #expect(try found("wolf", in: workspace) == ["b"])
      #expect(try found("hen", in: workspace) == [])
      // Later writes maintain the rebuilt index.
      try workspace.insert(Note("d", "another fox"))
      #expect(try found("fox", in: workspace) == ["a", "d"])
      #expect(try workspace.query(for: Note.self).where(Note.title.matches("fox")).explain().indexes == ["title"])
    }
  }

  @Test("An index that the list doesn't have is dropped")
  func unlisted() throws {
    try damaged("DELETE FROM dflat_index") { (workspace) throws in
      #expect(try workspace.checkIntegrity([Note.self]) == ["The index '\(Self.index)' is not in the file's list."])
      #expect(try found("fox", in: workspace) == ["a"])
      #expect(try workspace.reindex() == ["Dropped the index '\(Self.index)', which was not in the file's list."])
      #expect(try workspace.checkIntegrity([Note.self]) == [])
    }
    #expect(try RawDatabase(test.path).text("SELECT name FROM sqlite_master WHERE name LIKE '\(Self.index)%'") == nil)
  }

  @Test(
    "A table that is not the documented one is never used",
    arguments: [
      "CREATE VIRTUAL TABLE \(index) USING fts5(f6, tokenize='unicode61 remove_diacritics 2')",
      "CREATE VIRTUAL TABLE \"\(index)\" USING fts5(\"f6\", tokenize='porter')",
      "CREATE VIRTUAL TABLE \"\(index)\" USING fts5(\"f6\")",
      "CREATE VIRTUAL TABLE \"\(index)\" USING fts5(\"f6\", content='page', tokenize='unicode61 remove_diacritics 2')",
      "CREATE VIRTUAL TABLE \"\(index)\" USING fts5(\"f6\", \"f8\", tokenize='unicode61 remove_diacritics 2')",
      "CREATE VIRTUAL TABLE \"\(index)\" USING fts4(\"f6\")",
      "CREATE TABLE \"\(index)\" (\"f6\")",
      "CREATE VIEW \"\(index)\" AS SELECT 1 AS rowid, 'fox' AS f6",
      "\(definition); CREATE TABLE other (x); CREATE TRIGGER t AFTER INSERT ON \(index)_content BEGIN SELECT 1; END",
      "\(definition); CREATE INDEX extra ON \(index)_content (c0)",
      "\(definition); DROP TABLE \(index)_config; CREATE TABLE \(index)_config (k PRIMARY KEY, v)",
      "\(definition); DROP TABLE \(index)_content; CREATE VIEW \(index)_content AS SELECT 1 AS id, 'fox' AS c0",
    ])
  func hostile(_ sql: String) throws {
    try damaged("DROP TABLE \(Self.index); \(sql)") { (workspace) throws in
      #expect(try errorCode { _ = try found("fox", in: workspace) } == .corrupt)
      #expect(try errorCode { try workspace.insert(Note("d", "fox")) } == .corrupt)
      #expect(
        try errorCode { _ = try workspace.query(for: Note.self).where(Note.title.matches("fox")).count() } == .corrupt)
      // Other queries don't need it.
      #expect(try workspace.query(for: Note.self).count() == 3)
      let problems = try workspace.checkIntegrity([Note.self])
      #expect(problems.contains { $0.contains("is not defined as this format requires") }, "\(problems)")
    }
  }

  @Test("A repair drops no virtual table under the name of one of the module's own tables")
  func hostileOwnTable() throws {
    let name = "\(Self.index)_config"
    try damaged("DROP TABLE \(name); CREATE VIRTUAL TABLE \(name) USING fts5(k)") { (workspace) throws in
      #expect(try errorCode { _ = try found("fox", in: workspace) } == .corrupt)
      #expect(try workspace.reindex([Note.self]) == [])
      #expect(try workspace.query(for: Note.self).count() == 3)
      #expect(try workspace.checkIntegrity([Note.self]).contains { $0.contains("is not defined as this format") })
    }
  }

  @Test("A damaged index that the list doesn't have is dropped, too")
  func damagedUnlisted() throws {
    let sql = "DELETE FROM dflat_index; UPDATE \(Self.index)_config SET v = 99 WHERE k = 'version'"
    try damaged(sql) { (workspace) throws in
      #expect(try workspace.reindex() == ["Dropped the index '\(Self.index)', which was not in the file's list."])
      #expect(try workspace.checkIntegrity([Note.self]) == [])
    }
  }

  @Test("Damaged objects have no words, and hide no others")
  func damagedObjects() throws {
    try damaged("UPDATE page SET payload = x'00' WHERE rowid = 1") { (workspace) throws in
      #expect(try found("wolf", in: workspace) == ["b"])
      #expect(try found("fox OR wolf", in: workspace) == ["b"])
      // The index still has the damaged one's words.
      let foxes = workspace.query(for: Note.self).where(Note.title.matches("fox"))
      #expect(try !foxes.exists() && foxes.count(distinct: Note.key) == 0)
      _ = try workspace.reindex([Note.self])
      #expect(try found("fox OR wolf", in: workspace) == ["b"])
      try workspace.transactAndWait([Note.self]) { txn in _ = try txn.upsert(Note("a", "new fox")) }
      #expect(try found("fox", in: workspace) == ["a"])
      #expect(try workspace.checkIntegrity([Note.self]) == [])
    }
  }

  @Test("A backup and a compacted file have the index")
  func copies() throws {
    let path = test.directory.path + "/copy.db"
    try workspace.backup(to: path)
    let copy = try TestWorkspace.open(path) { $0.fillsIndexes = false }
    defer { copy.shutdown() }
    for workspace in [workspace, copy] {
      try workspace.compact()
      #expect(try workspace.query(for: Note.self).where(Note.title.matches("fox")).explain().indexes == ["title"])
      #expect(try found("fox", in: workspace) == ["a"])
      #expect(try workspace.checkIntegrity([Note.self]) == [])
    }
  }
}

import DflatKV
import DflatSQLite
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Integrity checks find keys and indexes that don't fit the stored objects, and repairs rebuild them where possible.
@Suite struct EntityCheckTests {
  private let test: TestWorkspace
  private let members: [Member]
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace { $0.fillsIndexes = false }
    members = try test.workspace.insert(
      Member(number: 1, email: "a@", card: 1, balance: .nan),
      Member(number: .max, email: "b@", card: nil, balance: -0.0),
      Member(number: 3, email: nil, card: 3, level: .board))
    try test.workspace.insert(["post": 1])
  }

  /// Expects that the check finds and names the damage, and that nothing of it is left after the repair.
  private func expectRepair(
    _ damage: String, names problem: String, _ types: [any Atom.Type] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try workspace.checkIntegrity(types) == [], sourceLocation: sourceLocation)
    #expect(try workspace.reindex(types) == [], sourceLocation: sourceLocation)
    try test.execute(damage)
    let problems = try workspace.checkIntegrity(types)
    #expect(
      problems.count == 1 && problems.first?.contains(problem) == true, "\(problems)", sourceLocation: sourceLocation)
    let lines = try workspace.reindex(types)
    #expect(lines.count == 1, "\(lines)", sourceLocation: sourceLocation)
    #expect(try workspace.checkIntegrity(types) == [], sourceLocation: sourceLocation)
    let stored = try test.stored(Member.self, sourceLocation: sourceLocation)
    #expect(stored.map(\.number) == [1, .max, 3], sourceLocation: sourceLocation)
    #expect(workspace.fetch(for: Member.self).where(Member.number == .max).map(\._rowid) == [2])
    #expect(workspace.fetch(for: Member.self).where(Member.email == "b@").map(\._rowid) == [2])
    // Later writes maintain the rebuilt table.
    try workspace.transactAndWait([Member.self]) { txn in
      let error = #expect(throws: WorkspaceError.self) { try txn.insert(Member(number: 9, email: "b@")) }
      #expect(error?.field == "email")
      _ = try txn.update(Member(number: 3)) { $0.balance += 1 }
    }
    #expect(try workspace.checkIntegrity([Member.self, Post.self]) == [], sourceLocation: sourceLocation)
  }

  private static let email = "club__member__f6"

  @Test(
    "Indexes that don't agree with the objects are reported and rebuilt",
    arguments: [
      ("DELETE FROM \(email) WHERE rowid = 2", "lacks 1 row; the first is row 2"),
      ("DELETE FROM \(email)", "lacks 3 rows; the first is row 1"),
      ("UPDATE \(email) SET f6 = 'x@' WHERE rowid = 1", "different value in 1 row; the first is row 1"),
      ("UPDATE \(email) SET f6 = x'00' WHERE rowid = 3", "different value in 1 row; the first is row 3"),
      ("INSERT INTO \(email) VALUES (7, 'x@')", "1 row without an object; the first is row 7"),
      ("DROP TABLE \(email)", "'f6' of 'club__member' is missing"),
      ("DROP INDEX index__\(email)", "'f6' of 'club__member' is not defined as this format requires"),
      (
        "DROP TABLE \(email); CREATE TABLE \(email) (a, b); CREATE INDEX index__\(email) ON \(email) (a)",
        "'f6' of 'club__member' is not defined as this format requires"
      ),
      ("CREATE INDEX extra ON \(email) (f6)", "'f6' of 'club__member' is not defined as this format requires"),
      (
        "CREATE TRIGGER extra AFTER INSERT ON \(email) BEGIN SELECT 1; END",
        "'f6' of 'club__member' is not defined as this format requires"
      ),
      (
        "DROP TABLE \(email); CREATE VIEW \(email) AS SELECT 1 AS rowid, 'a@' AS f6",
        "'f6' of 'club__member' is not defined as this format requires"
      ),
      ("DELETE FROM dflat_index WHERE path = 'f6'", "'\(email)' is not in the file's list"),
      ("DELETE FROM dflat_entity WHERE name = 'club__member'", "'club__member' is not in the file's list"),
      ("UPDATE dflat_entity SET last_rowid = 2 WHERE name = 'club__member'", "sequence says that 2"),
      ("UPDATE dflat_entity SET last_rowid = 5.5 WHERE name = 'club__member'", "sequence says"),
    ])
  func indexes(damage: String, problem: String) throws { try expectRepair(damage, names: problem) }

  @Test("A table of a known type that the list of tables lacks is reported and listed again")
  func unlistedTable() throws {
    try expectRepair(
      "DELETE FROM dflat_entity WHERE name = 'club__member'", names: "is not in the file's list", [Member.self])
  }

  @Test("The first write to an unlisted table lists it with its highest row, even if it inserts none")
  func listedByWrite() throws {
    try test.execute("DELETE FROM dflat_entity WHERE name = 'post'")
    let other = try TestWorkspace.open(test.path)  // It has assigned no rowid.
    defer { other.shutdown() }
    try other.transactAndWait([Post.self]) { txn in _ = try txn.upsert(Post(title: "post", priority: 2)) }
    #expect(try workspace.checkIntegrity([Post.self]) == [])
  }

  @Test("A1: A refused write undoes no other writes after an upsert that listed a table and changed nothing else")
  func listedByUnchangedWrite() throws {
    try test.execute("DELETE FROM dflat_entity WHERE name = 'post'")
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try other.transactAndWait([Post.self, Member.self]) { txn throws in
      _ = try txn.upsert(Post(title: "post", priority: 1))
      _ = try txn.insert(Member(number: 4, email: "d@"))
      #expect(try errorCode { try txn.insert(Post(title: "post")) } == .objectAlreadyExists)
    }
    #expect(try test.stored(Member.self).map(\.number) == [1, .max, 3, 4])
    #expect(try workspace.checkIntegrity([Post.self, Member.self]) == [])
  }

  @Test(
    "Damage that a request finds fails the transaction even if the closure catches the error",
    arguments: ["last_rowid = 'none'", "last_rowid = \(Int64.max)"])
  func damagedSequence(damage: String) throws {
    try test.execute("UPDATE dflat_entity SET \(damage) WHERE name = 'post'")
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    let code = try errorCode {
      try other.transactAndWait([Post.self]) { txn throws in
        txn.dictionary["kept"] = true
        #expect(try errorCode { try txn.insert(Post(title: "new")) } == .corrupt)
      }
    }
    #expect(code == .corrupt)
    #expect(other.dictionary["kept", Bool.self] == nil)
  }

  @Test("A view in place of a known type's table is reported if the check names the type")
  func view() throws {
    let test = try TestWorkspace { $0.fillsIndexes = false }
    _ = try test.workspace.insert(Member(number: 1))
    try test.execute("CREATE VIEW post AS SELECT 1 AS rowid")
    #expect(try test.workspace.checkIntegrity() == [])
    let problems = try test.workspace.checkIntegrity([Post.self])
    #expect(problems.count == 1 && problems.first?.contains("'post'") == true, "\(problems)")
  }

  @Test("The next write rebuilds an index that the list of indexes lacks")
  func unlistedIndex() throws {
    try test.execute("DELETE FROM dflat_index WHERE path = 'f6'; DELETE FROM \(Self.email) WHERE rowid = 2")
    try workspace.transactAndWait([Member.self]) { txn in
      _ = try txn.update(Member(number: 3)) { $0.balance += 1 }
      let error = #expect(throws: WorkspaceError.self) { try txn.insert(Member(number: 9, email: "b@")) }
      #expect(error?.field == "email")
    }
    #expect(try workspace.checkIntegrity([Member.self]) == [])
  }

  @Test("A table named like an index of a table that doesn't exist is neither reported nor removed")
  func foreignIndex() throws {
    try test.execute(IndexSQL.make("other", "f6", replacing: false))
    #expect(try workspace.checkIntegrity([Member.self, Post.self]) == [])
    #expect(try workspace.reindex([Member.self, Post.self]) == [])
  }

  @Test("SQLite's own indexes that lack entries are rebuilt")
  func sqliteIndexes() throws {
    let index = "index__\(Self.email)"
    let file = try RawDatabase(test.path)
    let root = try #require(try file.text("SELECT rootpage FROM sqlite_schema WHERE name = '\(index)'"))
    let sql = try #require(try file.text("SELECT sql FROM sqlite_schema WHERE name = '\(index)'"))
    // A change while the index is hidden isn't in the index.
    try file.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '\(index)'")
    try RawDatabase.execute("UPDATE \(Self.email) SET f6 = 'x@' WHERE rowid = 2", on: test.path)
    // Raise the schema's version, because the workspace may have read the schema meanwhile.
    try file.execute(
      """
      INSERT INTO sqlite_schema VALUES ('index', '\(index)', '\(Self.email)', \(root), '\(sql)');
      PRAGMA schema_version = 1000
      """)
    #expect(try workspace.checkIntegrity().contains { $0.contains(index) })
    let lines = try workspace.reindex()
    #expect(lines.first == "Rebuilt SQLite's own indexes." && lines.count == 2, "\(lines)")
    #expect(try workspace.checkIntegrity() == [])
  }

  @Test("Nothing is rebuilt if tables share pages, since a page freed by one may be the other's")
  func sharedPages() throws {
    try RawDatabase.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'post')
        WHERE name = '\(Self.email)'
      """, on: test.path)
    let fresh = try TestWorkspace.open(test.path) { $0.fillsIndexes = false }
    defer { fresh.shutdown() }
    #expect(try !fresh.checkIntegrity().isEmpty)
    #expect(try errorCode { _ = try fresh.reindex() } == .corrupt)
    #expect(fresh.fetch(for: Post.self).all().map(\.title) == ["post"])
  }

  @Test(
    "Keys that don't agree with the objects of named types are reported and rewritten",
    arguments: [
      "UPDATE club__member SET __pk0 = 77 WHERE rowid = 2",
      "UPDATE club__member SET __pk0 = __pk0 + 100 WHERE rowid = 1",
      "UPDATE club__member SET __pk0 = 'text' WHERE rowid = 3",
    ])
  func keys(damage: String) throws {
    try expectRepair(damage, names: "key (number) of 1 row of 'club__member'", [Member.self])
  }

  @Test("Rows that traded their keys get their own back, and live queries are notified")
  func tradedKeys() throws {
    try test.execute(
      """
      CREATE TEMP TABLE kept AS SELECT rowid AS row, __pk0 AS key FROM club__member;
      UPDATE club__member SET __pk0 = 'none' || rowid WHERE rowid < 3;
      UPDATE club__member SET __pk0 = (SELECT key FROM kept WHERE row = 3 - club__member.rowid) WHERE rowid < 3
      """)
    let log = EventLog<Int>()
    let stale = workspace.fetch(for: Member.self).where(Member.number == 1)
    #expect(stale.map(\._rowid) == [2])
    let live = workspace.subscribe(fetchedResult: stale) { log.append($0.map { Int($0._rowid) }.first ?? 0) }
    defer { live.cancel() }
    #expect(try workspace.checkIntegrity([Member.self]).count == 1)
    #expect(try workspace.reindex([Member.self]).count == 1)
    #expect(try test.stored(Member.self).map(\.number) == [1, .max, 3])
    #expect(try log.wait(forCount: 1) == [1])
  }

  @Test("A key that two objects have is not rewritten, and the repair doesn't report that it was")
  func sharedKey() throws {
    let third = "(SELECT payload FROM club__member WHERE rowid = 3)"
    try test.execute("UPDATE club__member SET payload = \(third) WHERE rowid = 1")
    let lines = try workspace.reindex([Member.self])
    #expect(!lines.isEmpty && !lines.contains { $0.hasPrefix("Rewrote") }, "\(lines)")
    #expect(try workspace.checkIntegrity([Member.self]).contains { $0.contains("number") })
  }

  @Test("Damaged objects are reported one by one and stay, and only their own rows are hidden")
  func payloads() throws {
    try test.damage("club__member", 2)
    try test.damage("post", 1, "zeroblob(200)")
    let problems = try workspace.checkIntegrity([Member.self, Post.self])
    #expect(problems.count == 2)
    #expect(problems.first?.contains("Row 2 of 'club__member' can't be read") == true, "\(problems)")
    #expect(problems.last?.contains("Row 1 of 'post' can't be read") == true, "\(problems)")
    #expect(try workspace.checkIntegrity().contains { $0.contains("Row 2 of 'club__member'") })
    #expect(try workspace.integrityProblems(of: []).allSatisfy { !$0.isRepairable })
    #expect(try workspace.reindex([Member.self]) == [])
    #expect(workspace.fetch(for: Member.self).all().map(\.number) == [1, 3])
  }

  /// The group writes its last known value of the sequence when it ends.
  ///
  ///     first:    ├─ inserts a post ─┤ hands its group on
  ///     reindex:        └ waits ──── ├─ raises the sequence ─┤ COMMIT
  @Test("A sequence that is raised in an open group stays raised")
  func sequenceInAGroup() throws {
    let late = try TestWorkspace { $0.commitLate() }
    try late.workspace.insert(["a": 1, "b": 2, "c": 3])
    try late.execute(
      """
      UPDATE post SET rowid = 100 WHERE rowid = 3; UPDATE post__f10 SET rowid = 100 WHERE rowid = 3;
      UPDATE dflat_entity SET last_rowid = 2 WHERE name = 'post'
      """)
    let isHeld = Gate("the write token is held")
    let outcome = EventLog<Bool>()
    late.workspace.performChanges([Post.self]) { [late] txn in
      #expect(throws: Never.self) { try txn.insert(Post(title: "d")) }
      isHeld.open()
      late.waitForWriteTokenWaiter()
    } completionHandler: { succeeded in
      outcome.append(succeeded)
    }
    try isHeld.wait()
    #expect(try late.workspace.reindex() == ["Set the sequence of 'post' to 100."])
    #expect(try outcome.wait(forCount: 1) == [true])
    #expect(late.workspace.commitNumber == 2)
    #expect(try late.workspace.checkIntegrity([Post.self]) == [])
    #expect(try late.workspace.insert(Post(title: "e")).map(\._rowid) == [101])
  }

  @Test("Damaged objects beyond the maximum of named ones are reported as a count")
  func manyPayloads() throws {
    try workspace.transactAndWait([Post.self]) { txn in
      for number in 0..<(EntityCheck.maximumRows + 20) { try txn.insert(Post(title: "\(number)")) }
    }
    try test.execute("UPDATE post SET payload = x'00'")
    let problems = try workspace.checkIntegrity()
    #expect(problems.count == EntityCheck.maximumRows + 1)
    #expect(problems.last == "21 more rows of 'post' can't be read.")
  }

  @Test("A partly filled index is sound, and a row that its filled part lacks is found and repaired")
  func partial() throws {
    let test = try TestWorkspace { $0.fillsIndexes = false }
    var random = SeededGenerator(seed: 3)
    try test.workspace.transactAndWait([Item<V1>.self]) { txn in
      for number in 0..<20 { try txn.insert(Item<V1>.random("item \(number)", using: &random)) }
    }
    var filler = try IndexFill(of: V2.self, "rating", rowsInStep: 8)
    for _ in 0..<2 { try expectStep(&filler, on: test.workspace, .more) }
    #expect(try test.workspace.checkIntegrity([Item<V1>.self]) == [])
    try test.execute("DELETE FROM evolving_item__f16 WHERE rowid = 7")
    #expect(try test.workspace.checkIntegrity().count == 1)
    #expect(try test.workspace.reindex().count == 1)
    try expectRightAnswers(V2.self, from: test.workspace)
  }

  @Test("An index that is wrongly marked as unique is reported and repaired")
  func duplicates() throws {
    try workspace.transactAndWait([Item<V3Loose>.self]) { txn in
      for number in 0..<3 {
        try txn.insert(Item<V3Loose>("item \(number)") { $0.code = number == 2 ? "k1" : "k\(number)" })
      }
    }
    try test.execute("UPDATE dflat_index SET checked = 1 WHERE table_name = 'evolving_item'")
    #expect(try workspace.checkIntegrity().map { $0.contains("marked as unique") } == [true])
    #expect(try workspace.reindex().count == 1)
    #expect(try workspace.checkIntegrity() == [])
  }

  @Test("A missing table and an unreadable index definition are reported and left alone")
  func unrepairable() throws {
    try test.execute("DROP TABLE post; UPDATE dflat_index SET definition = 'later:1' WHERE path = 'f6'")
    for _ in 0..<2 {
      let problems = try workspace.checkIntegrity()
      #expect(problems.count == 2 && problems[0].contains("'f6' of 'club__member'"), "\(problems)")
      #expect(problems.last?.contains("The objects of 'post' can't be read") == true)
      #expect(try workspace.reindex() == [])
    }
  }

  @Test("An index whose definition has an impossible slot is reported, and its table can't be written")
  func impossibleSlot() throws {
    let test = try TestWorkspace()
    try test.workspace.insert(["a": 1])
    test.workspace.shutdown()
    try RawDatabase.execute("UPDATE dflat_index SET definition = 'kind:-9223372036854775808'", on: test.path)
    let damaged = try test.another()
    #expect(try !damaged.workspace.checkIntegrity().isEmpty)
    #expect(try errorCode { try damaged.workspace.insert(["b": 2]) } == .newerFormat)
  }

  @Test("A file without entities has nothing to check or repair")
  func nothing() throws {
    let test = try TestWorkspace()
    test.workspace.dictionary["a"] = 1
    #expect(try test.workspace.checkIntegrity([Post.self]) == [])
    #expect(try test.workspace.reindex([Post.self]) == [])
  }

  @Test("An object is reported once if any of its bytes but the last zeros is missing")
  func namedOnce() throws {
    let row = try #require(try EntityRowBytes.read("club__member", 2, on: test))
    for count in 0..<row.count {
      try test.damage(
        "club__member", 2,
        "x'\(row.prefix(count).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'")
      let problems = try workspace.checkIntegrity()
      let isWhole = row[count...].allSatisfy { $0 == 0 }
      let reports = problems.count { $0.contains("Row 2 of 'club__member'") }
      #expect(reports == (isWhole ? 0 : 1), "\(count) of \(row.count) bytes: \(problems)")
      if isWhole { #expect(problems == []) }
    }
  }

  @Test("Additional white space in the schema is not a problem")
  func spacing() throws {
    try RawDatabase.execute(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ', ', ',  ')", on: test.path)
    let fresh = try TestWorkspace.open(test.path) { $0.fillsIndexes = false }
    defer { fresh.shutdown() }
    #expect(try fresh.checkIntegrity([Member.self]) == [])
    #expect(try fresh.reindex([Member.self]) == [])
  }

  @Test("An index that can't be rebuilt stays, and others are repaired")
  func inTheWay() throws {
    try test.execute(
      """
      DROP INDEX index__\(Self.email); CREATE TABLE index__\(Self.email) (mine);
      DELETE FROM club__member__f8 WHERE rowid = 1
      """)
    #expect(try workspace.checkIntegrity().count == 2)
    #expect(try workspace.reindex().map { $0.contains("'f8'") } == [true])
    #expect(try workspace.checkIntegrity().map { $0.contains("'f6'") } == [true])
  }

  @Test(
    "Live queries of all workspaces get the results that a rebuilt index finds", arguments: [true, false])
  func liveQueries(namesTypes: Bool) throws {
    try test.execute("DELETE FROM \(Self.email) WHERE rowid = 2")
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    let workspaces = [workspace, other]
    let logs = workspaces.map { _ in EventLog<[Int64]>() }
    let subscriptions = zip(workspaces, logs).map { workspace, log in
      let stale = workspace.fetch(for: Member.self).where(Member.email == "b@")
      #expect(stale.isEmpty)
      return workspace.subscribe(fetchedResult: stale) { log.append($0.map(\._rowid)) }
    }
    #expect(try workspace.reindex(namesTypes ? [Member.self] : []).count == 1)
    for log in logs { #expect(try log.wait(forCount: 1) == [[2]]) }
    for subscription in subscriptions { subscription.cancel() }
  }
}

/// The stored bytes of an object.
private enum EntityRowBytes {
  static func read(_ table: String, _ rowid: Int64, on test: TestWorkspace) throws -> [UInt8]? {
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    return try connection.prepare("SELECT payload FROM \(table) WHERE rowid = \(rowid)").firstRow { row in
      row.withBytes(at: 0) { Array($0) }
    }
  }
}

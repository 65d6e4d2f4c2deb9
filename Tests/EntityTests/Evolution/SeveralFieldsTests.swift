import DflatKV
import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Indexes over several fields in files that programs with other schemas share.
@Suite struct SeveralFieldsTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace { $0.fillsIndexes = false } }

  private func expectRefusal<T>(
    _ field: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
  ) {
    let error = #expect(throws: WorkspaceError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == .objectAlreadyExists, sourceLocation: sourceLocation)
    #expect(error?.field == field, sourceLocation: sourceLocation)
  }

  @Test("An index is filled step by step while programs with and without it write, and queries stay right")
  func filling() throws {
    var random = SeededGenerator(seed: 40)
    let items = (0..<60).map { Item<V3>.random("item \($0)", using: &random) }
    try workspace.transactAndWait([Item<V3>.self]) { txn in for item in items { try txn.insert(item) } }
    let other = try TestWorkspace.open(test.path) { $0.fillsIndexes = false }
    defer { other.shutdown() }
    for name in V3Pairs.entity.indexes.map(\.name) {
      var filler = try IndexFill(of: V3Pairs.self, name, rowsInStep: 13)
      var outcome = IndexFill.Outcome.more
      while outcome == .more {
        outcome = try step(&filler, on: workspace)
        try writeAtRandom(V3.self, to: other, using: &random)
        try writeAtRandom(V3Pairs.self, to: workspace, using: &random)
        try writeAtRandom(V2.self, to: other, using: &random)
        try expectRightAnswers(V3Pairs.self, from: workspace)
        try expectRightAnswers(V3.self, from: other)
      }
      #expect(outcome == .done)
      #expect(try #require(try entry(name, of: V3Pairs.self, in: other)).isComplete)
    }
    let query = workspace.query(for: Item<V3Pairs>.self).where(Item<V3Pairs>.count == 5 && Item<V3Pairs>.code == "k")
    #expect(try query.explain().indexes == ["count, code"])
    // The other program maintains indexes that its schema doesn't have, and drops them only if it is asked to.
    let unused = try other.removeUnusedIndexes(of: Item<V3>.self)
    #expect(Set(unused).isSuperset(of: ["f8+f16", "f6+f20", "f12__type+f6+f16"]))
    #expect(try entry("color, rating", of: V3Pairs.self, in: workspace) == nil)
    try writeAtRandom(V3Pairs.self, to: workspace, using: &random)
    try expectRightAnswers(V3Pairs.self, from: workspace)
    #expect(try workspace.checkIntegrity() == [])
  }

  @Test("No two objects share a combination of values, in which null and NaN equal nothing")
  func uniqueness() throws {
    typealias I = Item<V3UniquePairs>
    try workspace.transactAndWait([I.self]) { txn in
      func insert(_ key: String, _ count: Int32, _ code: String?, _ rating: Double?) throws {
        _ = try txn.insert(
          I(key) {
            $0.count = count
            $0.code = code
            $0.rating = rating
          })
      }
      try insert("a", 1, "x", nil)
      expectRefusal("count, code") { try insert("b", 1, "x", nil) }
      // The error names the primary key if that is a duplicate, too.
      expectRefusal("key") { try insert("a", 1, "x", nil) }
      for (number, count) in [Int32(1), 1, 2].enumerated() { try insert("no code \(number)", count, nil, 2) }
      try insert("b", 2, "x", .nan)
      try insert("c", 3, "x", .nan)
      try insert("d", 4, "x", 0)
      expectRefusal("rating, code") { try insert("e", 5, "x", -0.0) }
      // Two spellings of a text are two texts.
      try insert("e", 7, "\u{e9}", nil)
      try insert("f", 7, "e\u{301}", nil)
      try insert("g", 7, "", nil)
      try insert("h", 7, "\0", nil)
      expectRefusal("count, code") { try insert("i", 7, "\0", nil) }
      let first = try #require(try txn.query(for: I.self).where(I.key == "b").first())
      expectRefusal("count, code") { try txn.update(first) { $0.count = 1 } }
      try txn.update(first) { $0.count = 9 }
      expectRefusal("count, code") {
        try txn.updateAll(I.self, where: I.code == "x" && I.count.between(3, and: 4)) { $0.count = 50 }
      }
      let moved = try #require(try txn.query(for: I.self).where(I.key == "a").first())
      try txn.delete(moved)
      try insert("b again", 1, "x", nil)
    }
    let items = workspace.query(for: I.self)
    #expect(try items.where(I.count == 1 && I.code == "x").fetch().map(\.fields.key) == ["b again"])
    #expect(try items.where(I.count == 1 && I.code == nil).fetch().map(\.fields.key) == ["no code 0", "no code 1"])
    #expect(try items.where(I.count == 1 && I.code == "x").explain().indexes == ["count, code"])
    try EntityFileCheck(I.self, in: test.path).objects()
    #expect(try workspace.checkIntegrity() == [])
    let deleted = try workspace.transactAndWait([I.self]) { txn in try txn.deleteAll(I.self) }
    #expect(deleted == 11)
    #expect(try workspace.checkIntegrity() == [])
  }

  @Test("Duplicates of programs without the index are found when it is filled, and new ones refused before")
  func duplicates() throws {
    typealias Loose = Item<V3Pairs>
    typealias Strict = Item<V3UniquePairs>
    try workspace.transactAndWait([Item<V3Loose>.self]) { txn in
      for number in 0..<11 {
        _ = try txn.insert(
          Item<V3Loose>("item \(number)") {
            $0.count = Int32(number % 5)
            $0.code = number == 9 ? "k4" : "k\(number)"
          })
      }
    }
    var filler = try IndexFill(of: V3UniquePairs.self, "count, code", rowsInStep: 3)
    var outcome = IndexFill.Outcome.more
    while outcome == .more {
      try workspace.transactAndWait([Strict.self]) { txn in
        for (count, code) in [(Int32(0), "k0"), (4, "k4"), (0, "k10")] {
          expectRefusal("count, code") {
            try txn.insert(
              Strict("new") {
                $0.count = count
                $0.code = code
              })
          }
        }
        txn.dictionary["goes on"] = true
      }
      outcome = try step(&filler, on: workspace)
    }
    #expect(filler.duplicates?.rows == 1)
    let report = try #require(filler.report(path: test.path))
    #expect(report.field == "count, code")
    #expect(report.message.contains(#"row 10 (key: "item 9")"#) && report.message.contains(#"row 5 (key: "item 4")"#))
    #expect(report.message.contains("the values of another one"))
    #expect(try #require(try entry("count, code", of: V3UniquePairs.self, in: workspace)).isChecked == false)
    // Once the duplicate is gone, a check finds the values to be unique. A program that doesn't check them ends that.
    try workspace.transactAndWait([Strict.self]) { _ = try $0.deleteAll(Strict.self, where: Strict.key == "item 9") }
    try fill("count, code", of: V3UniquePairs.self, on: workspace)
    #expect(try #require(try entry("count, code", of: V3UniquePairs.self, in: workspace)).isChecked)
    try workspace.transactAndWait([Loose.self]) { txn in _ = try txn.insert(Loose("loose") { $0.code = "k0" }) }
    #expect(try #require(try entry("count, code", of: V3UniquePairs.self, in: workspace)).isChecked == false)
  }

  @Test("An unknown definition of several fields allows reads and refuses writes")
  func newer() throws {
    typealias I = Item<V3Pairs>
    try workspace.transactAndWait([I.self]) { txn in _ = try txn.insert(I("item")) }
    try workspace.transactAndWait { txn in
      let group = try txn.joinedGroup()
      try group.connection.execute(
        "UPDATE dflat_index SET definition = 'fields:8:string:6/9:soundex:8/' WHERE path = 'f8+f16'")
      group.hasChanges = true
      group.connection.dropCatalogs()
    }
    let query = workspace.query(for: I.self)
    #expect(try query.where(I.color == 0).orderBy(I.rating.ascending).fetch().count == 1)
    #expect(try query.where(I.color == 0).explain().indexes == [])
    #expect(try errorCode { try workspace.transactAndWait([I.self]) { _ = try $0.insert(I("new")) } } == .newerFormat)
    #expect(
      try workspace.checkIntegrity() == [
        "The index 'f8+f16' of 'evolving_item' has a definition that this program can't read: "
          + "a newer program created it, or it is damaged."
      ])
  }

  @Test(
    "Indexes that don't agree with the objects are reported and rebuilt without a schema",
    arguments: [
      (#"DELETE FROM "evolving_item__f8+f16" WHERE rowid = 2"#, "lacks 1 row; the first is row 2"),
      (#"UPDATE "evolving_item__f8+f16" SET f16 = 77 WHERE rowid = 3"#, "different value in 1 row; the first is row 3"),
      (#"UPDATE "evolving_item__f8+f16" SET f8 = 7 WHERE rowid = 1"#, "different value in 1 row; the first is row 1"),
      (#"INSERT INTO "evolving_item__f8+f16" VALUES (70, 1, 2)"#, "1 row without an object; the first is row 70"),
      (#"DROP TABLE "evolving_item__f8+f16""#, "'f8+f16' of 'evolving_item' is missing"),
      (#"DROP INDEX "index__evolving_item__f8+f16""#, "is not defined as this format requires"),
      (
        #"""
        DROP INDEX "index__evolving_item__f8+f16";
        CREATE INDEX "index__evolving_item__f8+f16" ON "evolving_item__f8+f16" (f16, f8, rowid)
        """#, "is not defined as this format requires"
      ),
      (
        #"""
        DROP TABLE "evolving_item__f8+f16"; CREATE TABLE "evolving_item__f8+f16" (rowid INTEGER PRIMARY KEY, "f8+f16");
        CREATE INDEX "index__evolving_item__f8+f16" ON "evolving_item__f8+f16" ("f8+f16", rowid)
        """#, "is not defined as this format requires"
      ),
      ("DELETE FROM dflat_index WHERE path = 'f8+f16'", "'evolving_item__f8+f16' is not in the file's list"),
    ])
  func damage(damage: String, problem: String) throws {
    typealias I = Item<V3Pairs>
    var random = SeededGenerator(seed: 41)
    let items = (0..<20).map { I.random("item \($0)", using: &random) }
    try workspace.transactAndWait([I.self]) { txn in for item in items { try txn.insert(item) } }
    #expect(try workspace.checkIntegrity() == [])
    try test.execute(damage)
    let problems = try workspace.checkIntegrity()
    #expect(problems.count == 1 && problems.first?.contains(problem) == true, "\(problems)")
    #expect(try workspace.reindex().count == 1)
    #expect(try workspace.checkIntegrity() == [])
    try writeAtRandom(V3Pairs.self, to: workspace, using: &random)
    try expectRightAnswers(V3Pairs.self, from: workspace)
  }

  @Test("A duplicate behind a unique mark is reported, and repair has it checked again")
  func markedAsUnique() throws {
    typealias I = Item<V3UniquePairs>
    try workspace.transactAndWait([I.self]) { txn in
      for key in ["a", "b"] { _ = try txn.insert(I(key) { $0.code = key }) }
      // Null and NaN in a column are no duplicates.
      for key in ["c", "d"] { _ = try txn.insert(I(key) { $0.rating = .nan }) }
      for (number, key) in ["e", "f"].enumerated() {
        _ = try txn.insert(
          I(key) {
            $0.count = Int32(number)
            $0.code = "same"
            $0.rating = .nan
          })
      }
    }
    #expect(try workspace.checkIntegrity() == [])
    try test.execute(
      """
      UPDATE evolving_item SET payload = (SELECT payload FROM evolving_item WHERE rowid = 1) WHERE rowid = 2;
      UPDATE "evolving_item__f6+f20" SET f20 = 'a' WHERE rowid = 2;
      UPDATE "evolving_item__f16+f20" SET f20 = 'a' WHERE rowid = 2
      """)
    let problem = "The index 'f6+f20' of 'evolving_item' is marked as unique, but has duplicate values."
    #expect(try workspace.checkIntegrity() == [problem])
    #expect(
      try workspace.reindex() == ["Marked the index 'f6+f20' of 'evolving_item' for a check for duplicate values."])
    #expect(try workspace.checkIntegrity() == [])
  }
}

import DflatKV
import TestSupport
import Testing

@testable import DflatEntities

/// Filling indexes by hand, from missing to complete. After each step, and each write between steps, queries of the
/// schema's versions give right answers.
@Suite struct FillingTests {
  private let test: TestWorkspace
  /// Programs with an older and a newer schema on one file.
  private let older: SQLiteWorkspace
  private let newer: SQLiteWorkspace

  init() throws {
    test = try TestWorkspace { $0.fillsIndexes = false }
    older = test.workspace
    newer = try TestWorkspace.open(test.path) { $0.fillsIndexes = false }
  }

  private func insert<S: ItemSchema>(
    _ count: Int, _ schema: S.Type, to workspace: SQLiteWorkspace, using random: inout SeededGenerator
  ) throws {
    let items = (0..<count).map { Item<S>.random("item \($0)", using: &random) }
    try workspace.transactAndWait([Item<S>.self]) { txn in for item in items { try txn.insert(item) } }
  }

  @Test("Indexes of a new table are complete, and queries alone create no others")
  func lazily() throws {
    var random = SeededGenerator(seed: 1)
    try insert(20, V1.self, to: older, using: &random)
    #expect(try #require(try entry("count", of: V1.self, in: older)).isComplete)
    #expect(try #require(try entry("old", of: V1.self, in: older)).isComplete)
    let before = try newer.fileStatistics().commitNumber
    try expectRightAnswers(V2.self, from: newer)
    #expect(try entry("rating", of: V2.self, in: newer) == nil)
    // A field that was renamed is the same one.
    #expect(try #require(try entry("amount", of: V2.self, in: newer)).isComplete)
    #expect(try newer.fileStatistics().commitNumber == before)
  }

  @Test(
    "Queries are right while an index is filled, with writes of both versions in between",
    arguments: V2.entity.indexes.map(\.field.name))
  func stepByStep(_ field: String) throws {
    var random = SeededGenerator.announced(for: "FillingTests.stepByStep(\(field))")
    try insert(45, V1.self, to: older, using: &random)
    var filler = try IndexFill(of: V2.self, field, rowsInStep: 7)
    var steps = 0
    while true {
      let outcome = try step(&filler, on: steps.isMultiple(of: 2) ? newer : older)
      try expectRightAnswers(V2.self, from: newer)
      try writeAtRandom(V1.self, to: older, using: &random)
      try expectRightAnswers(V2.self, from: newer)
      try writeAtRandom(V2.self, to: newer, using: &random)
      try expectRightAnswers(V2.self, from: newer)
      try expectRightAnswers(V1.self, from: older)
      if outcome == .done { break }
      steps += 1
    }
    #expect(steps >= (field == "amount" ? 0 : 5))
    #expect(try #require(try entry(field, of: V2.self, in: newer)).isComplete)
  }

  @Test("A query uses a complete index, and no partial or missing one")
  func planning() throws {
    var random = SeededGenerator(seed: 2)
    try insert(30, V1.self, to: older, using: &random)
    let query = newer.query(for: Item<V2>.self).where(Item<V2>.rating > 1)
    #expect(try query.explain().indexes == [])
    #expect(try query.explain().incompleteIndexes == ["rating"])
    var filler = try IndexFill(of: V2.self, "rating", rowsInStep: 10)
    for outcome in [IndexFill.Outcome.more, .more, .more, .more] {
      #expect(try query.explain().indexes == [])
      let made = try step(&filler, on: newer)
      #expect(made == outcome)
    }
    // The query's connection sees that the index is complete now.
    #expect(try query.explain().indexes == ["rating"])
    #expect(try query.explain().incompleteIndexes == [])
    try expectStep(&filler, on: newer, .done)
  }

  @Test("An undone step of filling changes nothing, and the next one repeats it")
  func undone() throws {
    var random = SeededGenerator(seed: 3)
    try insert(30, V1.self, to: older, using: &random)
    for undoes in [true, false, true, false, true, false] {
      var filler = try IndexFill(of: V2.self, "serial", rowsInStep: 10)
      let before = try entry("serial", of: V2.self, in: newer)
      try? newer.transactAndWait { txn in
        _ = try filler.step(in: try txn.joinedGroup())
        if undoes { throw Refusal() }
      }
      #expect((try entry("serial", of: V2.self, in: newer) == before) == undoes)
      try writeAtRandom(V2.self, to: newer, using: &random)
      try expectRightAnswers(V2.self, from: newer)
    }
  }

  @Test("The next transaction doesn't write to an index whose creation was undone")
  func madeAndUndone() throws {
    var random = SeededGenerator(seed: 4)
    try insert(3, V1.self, to: older, using: &random)
    // V3's `code` is unique: the first write makes its index.
    #expect(throws: Refusal.self) {
      try newer.transactAndWait([Item<V3>.self]) { txn in
        try txn.insert(Item<V3>("gone"))
        throw Refusal()
      }
    }
    #expect(try entry("code", of: V3.self, in: newer) == nil)
    try newer.transactAndWait([Item<V2>.self]) { _ = try $0.insert(Item<V2>("stays")) }
    #expect(try entry("code", of: V3.self, in: newer) == nil)
    try newer.transactAndWait([Item<V3>.self]) { _ = try $0.insert(Item<V3>("stays too") { $0.code = "k4" }) }
    #expect(try entry("code", of: V3.self, in: newer) != nil)
    try expectRightAnswers(V3.self, from: newer)
  }

  @Test("The next group member creates an index again whose creation was undone")
  func madeAndUndoneInGroup() throws {
    let test = try TestWorkspace { options in
      options.fillsIndexes = false
      options.commitLate()
    }
    var random = SeededGenerator(seed: 5)
    try insert(3, V1.self, to: test.workspace, using: &random)
    let before = test.workspace.commitNumber
    let queued = Gate("the others' calls")
    let done = Gate("the last one's completion")
    test.workspace.performChanges([Item<V3>.self]) { txn in
      txn.dictionary["first"] = true
      try? queued.wait()
    }
    test.workspace.performChanges([Item<V3>.self]) { txn in
      #expect(throws: Never.self) { try txn.insert(Item<V3>("gone") { $0.code = "k4" }) }
      txn.abort()
    }
    test.workspace.performChanges([Item<V3>.self]) { txn in
      #expect(throws: Never.self) { try txn.insert(Item<V3>("stays") { $0.code = "k4" }) }
    } completionHandler: { _ in
      done.open()
    }
    queued.open()
    try done.wait()
    #expect(test.workspace.commitNumber == before + 1)
    try expectRightAnswers(V3.self, from: test.workspace)
    #expect(try entry("code", of: V3.self, in: test.workspace) != nil)
  }

  @Test("A filling that a crash interrupted can be continued by another process")
  func abandoned() throws {
    var random = SeededGenerator(seed: 5)
    try insert(40, V1.self, to: older, using: &random)
    var filler = try IndexFill(of: V2.self, "rating", rowsInStep: 9)
    for number in 0..<4 {
      try expectStep(&filler, on: newer, .more)
      try writeAtRandom(V2.self, to: newer, using: &random)
      // The file as a process leaves it that is killed now.
      let copy = test.directory.file("left \(number).db")
      try newer.backup(to: copy)
      let survivor = try TestWorkspace.open(copy) { $0.fillsIndexes = false }
      defer { survivor.shutdown() }
      #expect(try #require(try entry("rating", of: V2.self, in: survivor)).isComplete == false)
      try expectRightAnswers(V2.self, from: survivor)
      try expectRightAnswers(V3.self, from: survivor)
      try fill("rating", of: V3.self, on: survivor)
      #expect(try #require(try entry("rating", of: V2.self, in: survivor)).isComplete)
      try writeAtRandom(V1.self, to: survivor, using: &random)
      try expectRightAnswers(V2.self, from: survivor)
    }
  }

  @Test("Writers of all versions maintain the index of a deprecated field")
  func deprecated() throws {
    var random = SeededGenerator(seed: 6)
    try insert(20, V1.self, to: older, using: &random)
    for field in V2.entity.indexes.map(\.field.name) { try fill(field, of: V2.self, on: newer) }
    for field in ["content.as(String.self)", "code"] { try fill(field, of: V3.self, on: newer) }
    for _ in 0..<12 {
      try writeAtRandom(V3.self, to: newer, using: &random)
      try writeAtRandom(V1.self, to: older, using: &random)
      try writeAtRandom(V2.self, to: newer, using: &random)
    }
    try expectRightAnswers(V1.self, from: older)
    try expectRightAnswers(V2.self, from: newer)
    try expectRightAnswers(V3.self, from: newer)
  }

  @Test("A row that can't be read doesn't keep an index from completing, and is reported")
  func damaged() throws {
    var random = SeededGenerator(seed: 7)
    try insert(5, V1.self, to: older, using: &random)
    try older.transactAndWait { txn in
      let group = try txn.joinedGroup()
      try group.connection.execute("UPDATE evolving_item SET payload = x'ff000000' WHERE rowid = 3")
      group.hasChanges = true
    }
    var filler = try IndexFill(of: V2.self, "rating")
    try expectStep(&filler, on: newer, .more)
    try expectStep(&filler, on: newer, .more)
    #expect(filler.damage.map(\.rowid) == [3])
    #expect(try #require(try entry("rating", of: V2.self, in: newer)).isComplete)
    #expect(try newer.checkIntegrity().map { $0.contains("Row 3") } == [true])
  }

  @Test("Large payloads make a step of filling cover fewer rows")
  func bytes() throws {
    let large = String(repeating: "x", count: IndexFill.bytesInStep / 2)
    try older.transactAndWait([Item<V1>.self]) { txn in
      for number in 0..<5 { try txn.insert(Item<V1>("\(number)") { $0.old = large }) }
    }
    var filler = try IndexFill(of: V2.self, "rating")
    try expectStep(&filler, on: newer, .more)
    try expectStep(&filler, on: newer, .more)
    #expect(try #require(try entry("rating", of: V2.self, in: newer)).filledTo == 2)
  }
}

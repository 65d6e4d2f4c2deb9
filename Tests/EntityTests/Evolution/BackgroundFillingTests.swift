import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatEntities

/// Waits until no index is wanted any more.
func waitUntilFilled(_ workspace: SQLiteWorkspace) throws {
  let idle = Gate("filling")
  EntityStore.of(workspace.core).storage.filling.whenIdle { idle.open() }
  try idle.wait()
}

/// Background filling of the indexes that queries want, between the program's transactions.
@Suite struct BackgroundFillingTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }
  private static let rows = 1_700

  init() throws {
    test = try TestWorkspace()
    var random = SeededGenerator(seed: 8)
    let items = (0..<Self.rows).map { Item<V1>.random("item \($0)", using: &random) }
    try workspace.transactAndWait([Item<V1>.self]) { txn in for item in items { try txn.insert(item) } }
  }

  @Test("An index that a query wants is filled once, in steps of 500 rows")
  func wanted() throws {
    let query = workspace.query(for: Item<V2>.self).where(Item<V2>.serial == 7)
    let before = try workspace.fileStatistics().commitNumber
    #expect(try query.count() == Self.rows)
    try waitUntilFilled(workspace)
    #expect(try query.explain().indexes == ["serial"])
    #expect(try query.count() == Self.rows)
    // The index is created, and filled in four steps. Each is a group of its own here.
    #expect(try workspace.fileStatistics().commitNumber == before + 5)
    try expectRightAnswers(V2.self, from: workspace)
    try waitUntilFilled(workspace)
    let filled = try workspace.fileStatistics().commitNumber
    try expectRightAnswers(V2.self, from: workspace)
    try waitUntilFilled(workspace)
    #expect(try workspace.fileStatistics().commitNumber == filled)
    #expect(
      V2.entity.indexes.allSatisfy { (try? entry($0.field.name, of: V2.self, in: workspace))??.isComplete == true })
    #expect(test.errors.events.isEmpty)
  }

  @Test("A7: A failure to fill an index is reported once")
  func failureIsTold() throws {
    let test = try TestWorkspace { $0.vfs = FaultPlan.vfsName }
    try test.workspace.transactAndWait([Item<V1>.self]) { txn in
      for number in 0..<10 { try txn.insert(Item<V1>("item \(number)")) }
    }
    let plan = try FaultPlan(.write, in: test.directory.path, fail: .from(1), with: .full)
    for _ in 0..<2 {
      _ = try test.workspace.query(for: Item<V2>.self).where(Item<V2>.serial == 7).count()
      try waitUntilFilled(test.workspace)
    }
    plan.cancel()
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.diskFull])
  }

  @Test("A file that can't be written is read without the index, and no failure is reported")
  func notWritable() throws {
    workspace.shutdown()
    let plan = try FaultPlan(.open, on: .main, in: test.directory.path, fail: .from(1), with: .readOnly)
    let reported = EventLog<WorkspaceError>()
    var options = SQLiteWorkspace.Options()
    options.vfs = FaultPlan.vfsName
    options.errorHandler = { reported.append($0) }
    let reader = SQLiteWorkspace(filePath: test.path, options: options)
    defer { reader.shutdown() }
    #expect(try reader.query(for: Item<V2>.self).where(Item<V2>.serial == 7).count() == Self.rows)
    try waitUntilFilled(reader)
    #expect(plan.faultCount > 0)
    #expect(reported.events.isEmpty)
  }

  /// program   ── holds the token, wants the index ────┐             ┌── next one ──┐
  /// filling                     waits for the token ──┴── one step ─┘              └── step ── …
  ///
  /// Both transactions are in one lane, and groups are passed on: the second one queues for the token when the first
  /// ends.
  @Test("A transaction waits for one step of filling at most")
  func yielding() throws {
    let workspace = try TestWorkspace.open(test.path) { $0.commitLate() }
    defer { workspace.shutdown() }
    let begun = Gate("first transaction")
    let first = Gate("end of the first transaction")
    let done = Gate("second transaction")
    let order = EventLog<String>()
    workspace.performChanges([]) { txn in
      txn.dictionary["first"] = 1
      begun.open()
      try? first.wait()
    }
    try begun.wait()
    _ = try workspace.query(for: Item<V2>.self).where(Item<V2>.serial == 8).count()
    workspace.performChanges([]) { txn in
      txn.dictionary["second"] = 2
      let filled = try? IndexCatalog.entries(of: V2.entity, on: txn.joinedGroup().connection)
        .first { $0.path == ItemPath.serial.name }
      order.append("filled to \(filled?.filledTo ?? -1)")
    } completionHandler: { _ in
      done.open()
    }
    first.open()
    try done.wait()
    // The index may have been created, but not filled.
    #expect(["filled to -1", "filled to 0"].contains(order.events.first ?? ""))
    try waitUntilFilled(workspace)
    try expectRightAnswers(V2.self, from: workspace)
  }

  @Test("The next program continues a filling that shutdown interrupted")
  func shutdown() throws {
    _ = try workspace.query(for: Item<V2>.self).where(Item<V2>.serial == 8).count()
    workspace.shutdown()
    let next = try TestWorkspace.open(test.path)
    defer { next.shutdown() }
    try expectRightAnswers(V2.self, from: next)
    try waitUntilFilled(next)
    #expect(try #require(try entry("serial", of: V2.self, in: next)).isComplete)
    try expectRightAnswers(V2.self, from: next)
  }

  @Test("Two programs that fill an index at once give right answers and complete it")
  func together() throws {
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    for field in [Item<V2>.serial > 5, Item<V2>.serial > 6] {
      _ = try workspace.query(for: Item<V2>.self).where(field).count()
      _ = try other.query(for: Item<V2>.self).where(field).count()
    }
    var random = SeededGenerator(seed: 9)
    for _ in 0..<5 { try writeAtRandom(V2.self, to: other, using: &random) }
    try waitUntilFilled(workspace)
    try waitUntilFilled(other)
    try expectRightAnswers(V2.self, from: workspace)
    try expectRightAnswers(V2.self, from: other)
    #expect(try #require(try entry("serial", of: V2.self, in: other)).isComplete)
  }

  @Test("A damaged row is reported once and doesn't keep an index from being filled")
  func failure() throws {
    try workspace.transactAndWait { txn in
      let group = try txn.joinedGroup()
      try group.connection.changeSchema(
        "CREATE TABLE rescued AS SELECT rowid AS row, payload FROM evolving_item WHERE rowid = 9")
      try group.connection.changeSchema("UPDATE evolving_item SET payload = x'ff000000' WHERE rowid = 9")
      group.hasChanges = true
    }
    let filling = EntityStore.of(workspace.core).storage.filling
    let index = try #require(V2.entity.indexes.last)
    for _ in 0..<2 {
      filling.want(.init(entity: V2.entity, index: index), now: .now + IndexFillQueue.longPause)
      try waitUntilFilled(workspace)
    }
    let reports = try test.errors.wait(forCount: 1)
    #expect(reports.map(\.code) == [.undecodable])
    try workspace.transactAndWait { txn in
      let group = try txn.joinedGroup()
      try group.connection.changeSchema(
        "UPDATE evolving_item SET payload = (SELECT payload FROM rescued) WHERE rowid = 9; DROP TABLE rescued")
      group.hasChanges = true
    }
    try workspace.reindex()
    try expectRightAnswers(V2.self, from: workspace)
    #expect(try #require(try entry("serial", of: V2.self, in: workspace)).isComplete)
    #expect(test.errors.events.count == 1)
  }

  @Test("Programs of three schema versions that write and query at once get right answers")
  func concurrently() throws {
    let others = try [TestWorkspace.open(test.path), TestWorkspace.open(test.path)]
    defer { for other in others { other.shutdown() } }
    @Sendable func run<S: ItemSchema>(_ schema: S.Type, _ workspace: SQLiteWorkspace, _ seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      do {
        for _ in 0..<6 {
          try writeAtRandom(schema, to: workspace, using: &random)
          // One commit for all queries, so that they can be compared with its objects.
          try workspace.fetchWithinASnapshot {
            let all = Array(try workspace.query(for: Item<S>.self).fetch())
            for question in ItemQuestion<S>.all {
              let given = try question.query(workspace.query(for: Item<S>.self)).fetch().map(\._rowid)
              #expect(given == question.answer(all).map(\._rowid), "\(S.self): \(question.name)")
            }
          }
        }
      } catch { Issue.record(error) }
    }
    DispatchQueue.concurrentPerform(iterations: 3) { number in
      switch number {
      case 0: run(V1.self, workspace, 10)
      case 1: run(V2.self, others[0], 11)
      default: run(V3.self, others[1], 12)
      }
    }
    for workspace in [workspace] + others { try waitUntilFilled(workspace) }
    try expectRightAnswers(V1.self, from: others[1])
    try expectRightAnswers(V2.self, from: workspace)
    try expectRightAnswers(V3.self, from: others[0])
  }
}

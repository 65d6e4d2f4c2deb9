import DflatKV
import TestSupport
import Testing

@testable import DflatEntities

/// A program for which a field need not be unique writes while another one checks its values. The rows that were
/// checked have to be checked again.
///
///     strict   ── check rows 1…3 ──┐                    ┌── rows 4…6 ── … ── done
///     loose                        └─ row 1 := row 2's ─┘
@Suite struct DisturbedCheckTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  /// Stores k0, k1, … k8 in rows 1 to 9, with a complete index that is not checked.
  init() throws {
    test = try TestWorkspace { $0.fillsIndexes = false }
    try test.workspace.transactAndWait([Item<V3Loose>.self]) { txn in
      for number in 0..<9 { try txn.insert(Item<V3Loose>("item \(number)") { $0.code = "k\(number)" }) }
    }
  }

  private func writeDuplicate(to workspace: SQLiteWorkspace, _ code: String = "k1") throws {
    try workspace.transactAndWait([Item<V3Loose>.self]) { txn in
      _ = try txn.update(Item<V3Loose>("item 0")) { $0.fields.code = code }
    }
  }

  private var isChecked: Bool {
    get throws { try #require(try entry("code", of: V3.self, in: workspace)).isChecked }
  }

  @Test("A check finds a duplicate that is written to rows it has already checked", arguments: [false, true])
  func between(isExternal: Bool) throws {
    let author = isExternal ? try TestWorkspace.open(test.path) : workspace
    defer { if isExternal { author.shutdown() } }
    var filler = try IndexFill(of: V3.self, "code", rowsInStep: 3)
    try expectStep(&filler, on: workspace, .more)
    try writeDuplicate(to: author)
    while try step(&filler, on: workspace) == .more {}
    #expect(filler.duplicates?.rows == 1)
    #expect(try !isChecked)
    // The check succeeds once the duplicate is gone.
    try writeDuplicate(to: author, "k0")
    try fill("code", of: V3.self, on: workspace)
    #expect(try isChecked)
  }

  @Test("Two programs that check at once both end and find a duplicate written meanwhile")
  func together() throws {
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    var mine = try IndexFill(of: V3.self, "code", rowsInStep: 3)
    var theirs = mine
    try expectStep(&mine, on: workspace, .more)
    try expectStep(&theirs, on: other, .more)
    try writeDuplicate(to: other)
    var count = 0
    while try step(&mine, on: workspace) == .more, count < 20 {
      _ = try step(&theirs, on: other)
      count += 1
    }
    while try step(&theirs, on: other) == .more, count < 40 { count += 1 }
    #expect(mine.duplicates?.rows == 1 && theirs.duplicates?.rows == 1)
    #expect(try !isChecked)
  }

  @Test("A check that is disturbed repeatedly gives up and can be run again later")
  func disturbed() throws {
    var filler = try IndexFill(of: V3.self, "code", rowsInStep: 3)
    var outcomes: [IndexFill.Outcome] = []
    while outcomes.last ?? .more == .more, outcomes.count < 20 {
      outcomes.append(try step(&filler, on: workspace))
      try writeDuplicate(to: workspace, "new \(outcomes.count)")
    }
    #expect(outcomes.count == IndexFill.maximumRestarts + 2 && outcomes.last == .disturbed)
    #expect(try !isChecked)
    try fill("code", of: V3.self, on: workspace)
    #expect(try isChecked)
  }

  @Test("A write of a program that doesn't know the field also restarts a check")
  func unknowing() throws {
    var filler = try IndexFill(of: V3.self, "code", rowsInStep: 3)
    try expectStep(&filler, on: workspace, .more)
    try workspace.transactAndWait([Item<V1>.self]) { txn in _ = try txn.insert(Item<V1>("of V1")) }
    #expect(try #require(try entry("code", of: V3.self, in: workspace)).check == IndexEntry.unchecked)
    while try step(&filler, on: workspace) == .more {}
    #expect(try isChecked)
  }
}

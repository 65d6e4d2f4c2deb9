import TestSupport
import Testing

@testable import DflatEntities

@Suite struct FetchedResultChangesTests {
  /// Applies changes to rows as a list view does.
  static func apply(_ changes: FetchedResultChanges, to old: [Int64], of new: [Int64]) -> [Int64] {
    let leaving = Set(changes.removed + changes.moved.map(\.from))
    var rows = old.enumerated().filter { !leaving.contains($0.offset) }.map(\.element)
    for place in (changes.inserted + changes.moved.map(\.to)).sorted() { rows.insert(new[place], at: place) }
    return rows
  }

  @Test("A single row that moves up or down is reported as one move")
  func oneMove() {
    let old: [Int64] = [1, 2, 3, 4, 5]
    let down = FetchedResultChanges(from: old, to: [2, 3, 4, 1, 5]) { _, _ in false }
    #expect(down.moved == [.init(from: 0, to: 3)] && down.inserted.isEmpty && down.removed.isEmpty)
    let up = FetchedResultChanges(from: old, to: [5, 1, 2, 3, 4]) { _, _ in false }
    #expect(up.moved == [.init(from: 4, to: 0)])
  }

  @Test("An updated row is reported at its new position")
  func updatesAreNotedWhereTheRowIsNow() {
    let changes = FetchedResultChanges(from: [1, 2, 3], to: [3, 2, 4]) { before, _ in before == 2 }
    #expect(changes.removed == [0] && changes.inserted == [2] && changes.updated == [0])
    #expect(!changes.isEmpty)
    #expect(FetchedResultChanges(from: [1, 2], to: [1, 2]) { _, _ in false }.isEmpty)
  }

  @Test("The changes turn the old rows into the new ones")
  func random() {
    var random = SeededGenerator.announced(for: "result changes")
    for _ in 0..<500 {
      func rows() -> [Int64] {
        (Int64(0)..<12).shuffled(using: &random).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
      }
      let (old, new) = (rows(), rows())
      let changes = FetchedResultChanges(from: old, to: new) { old[$0] != new[$1] }
      #expect(Self.apply(changes, to: old, of: new) == new)
      #expect(changes.updated.isEmpty, "a row was mistaken for another one")
    }
  }
}

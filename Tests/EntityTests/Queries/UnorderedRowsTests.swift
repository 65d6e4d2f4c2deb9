import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

@Suite struct UnorderedRowsTests {
  @Test("Visiting the rows of several searches ends when the visitor stops")
  func stopsAtTheFirst() throws {
    var generator = SeededGenerator(seed: 9)
    let file = try SampleFile((0..<50).map { RandomSamples.sample($0, &generator) })
    let workspace = try file.open(.complete)
    defer { workspace.shutdown() }
    let predicate = Sample.number == file.samples[0].number || Sample.id == file.samples[1].id
    let query = RowQuery(
      Sample._entity, predicate._expression.node, orderBy: [], limit: nil, offset: 0)
    let visited = try workspace.core.withView { connection, _ in
      let matches = try query.matches(on: connection, storage: EntityStore.lazyStorage(of: workspace.core))
      guard case .found(let searches) = matches.plan.rows, searches.count == 2 else {
        Issue.record("The plan has \(matches.plan.rows) instead of two searches.")
        return 0
      }
      var visited = 0
      try matches.forEach(inOrder: false) { _, _ in
        visited += 1
        return false
      }
      return visited
    }
    #expect(visited == 1)
  }
}

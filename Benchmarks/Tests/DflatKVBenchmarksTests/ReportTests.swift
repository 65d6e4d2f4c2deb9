import Testing

@testable import DflatKVBenchmarks

@Suite struct ReportTests {
  @Test func mediansAndQuantilesInterpolate() {
    #expect(Samples([3, 1, 2]).median == 2)
    #expect(Samples([4, 1, 3, 2]).median == 2.5)
    #expect(Samples([0, 10]).quantile(0.25) == 2.5)
    #expect(Samples([7]).quantile(0.99) == 7)
    #expect(Samples([]).median.isNaN)
  }

  @Test func verdictComparesWithTheLimit() {
    #expect(row(measured: 1.5, limit: 1.5).verdict == .met)
    #expect(row(measured: 1.51, limit: 1.5).verdict == .missed)
    #expect(row(measured: 9, limit: nil).verdict == .informs)
  }

  @Test func tableSaysWhatMissedItsLimit() {
    let results = Results(rows: [row(measured: 2, limit: 1), row(measured: 3, limit: nil)])
    let text = MarkdownTable(results: results, showsLimits: true).text
    #expect(text.contains("| 2.00 × | 1.90–2.10 | 1.00 × | **not met** |"))
    #expect(text.contains("Without a limit"))
  }

  @Test func publishedTableHasNoLimits() {
    let results = Results(rows: [row(measured: 2, limit: 1), row(measured: 3, limit: nil)])
    let text = MarkdownTable(results: results, showsLimits: false).text
    #expect(text.contains("| 2.00 × | 1.90–2.10 | 2.00 ms / 1.00 ms |"))
    #expect(!text.contains("at most") && !text.contains("not met") && !text.contains("limit"))
  }

  @Test func blockIsReplacedBetweenItsMarkers() {
    let document = "before\n\(GeneratedBlock.beginMarker())\nold\n\(GeneratedBlock.endMarker)\nafter\n"
    let once = GeneratedBlock.replace(in: document, with: "new\n")
    #expect(once == "before\n\(GeneratedBlock.beginMarker())\n\nnew\n\n\(GeneratedBlock.endMarker)\nafter\n")
    #expect(once.flatMap { GeneratedBlock.replace(in: $0, with: "new\n") } == once)
    #expect(GeneratedBlock.replace(in: "no markers", with: "new") == nil)
  }

  @Test func partialRunKeepsTheOtherRows() {
    var other = row(measured: 1, limit: 1)
    other.id = "other"
    let older = Results(rows: [row(measured: 2, limit: 1), other])
    let merged = Results(rows: [row(measured: 0.5, limit: 1)]).merged(into: older)
    #expect(merged.rows.map(\.id) == ["row", "other"])
    #expect(merged.rows.first?.measured == 0.5)
  }

  @Test func anExactIdSelectsOneRow() {
    let ids = ["insert", "insert-synced", "read"]
    #expect(Selection.matching("insert", in: ids, id: { $0 }) == ["insert"])
    #expect(Selection.matching("ins", in: ids, id: { $0 }) == ["insert", "insert-synced"])
    #expect(Selection.matching(nil, in: ids, id: { $0 }) == ids)
  }

  private func row(measured: Double, limit: Double?) -> Row {
    Row(
      id: "row", title: "workload", baseline: "baseline", unit: .ratio, measured: measured, lowerQuartile: 1.9,
      upperQuartile: 2.1, limit: limit, rounds: 3, workloadSeconds: 0.002, baselineSeconds: 0.001)
  }
}

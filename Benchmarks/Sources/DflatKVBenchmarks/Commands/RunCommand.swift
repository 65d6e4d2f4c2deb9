import ArgumentParser
import Foundation

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs the comparisons and prints the table of ratios.")

  @Option(name: .customLong("write"), help: "Write the results to this JSON file, and a Markdown table beside it.")
  var output: String?

  @Option(help: "Replace the generated part of this Markdown document.")
  var docs: String?

  @Option(help: "Write charts of the results into this folder, as SVG.")
  var charts: String?

  private static let growth = "growth"

  @Option(
    help: """
      Only the row with this id, or the rows whose id contains it; 'growth' for what the pictures of growth show. With \
      --write, the file's other rows stay.
      """)
  var only: String?

  @Option(help: "Pairs of measurements for each row, instead of its own number.")
  var rounds: Int?

  @Flag(help: "Three pairs for each row, and no rows that take long.")
  var quick = false

  @Flag(help: "Print the rows' ids and end.")
  var list = false

  func validate() throws {
    if let rounds, rounds < 1 { throw ValidationError("--rounds must be at least 1") }
    if quick, output != nil || docs != nil || charts != nil {
      throw ValidationError("a quick run is too short to be written")
    }
  }

  func run() throws {
    let plan = Selection.matching(only, in: Plan.all, id: \.id).filter { !quick || !$0.isLong }
    guard !list else {
      for item in plan { print(item.id) }
      return
    }
    let scratch = try ScratchFolder()
    var rows: [Row] = []
    for item in plan {
      let measured = try item.run(scratch, ComparisonRunner(rounds: rounds ?? (quick ? 3 : nil)))
      for row in measured { FileHandle.standardError.write(Data((Self.progress(row) + "\n").utf8)) }
      rows += measured
    }
    // The pictures of growth aren't rows.
    let measuresGrowth = only == nil && !quick || only == Self.growth
    let growth = measuresGrowth ? try GrowthWorkload.measure(scratch) + EntityGrowthWorkload.measure(scratch) : nil
    try report(Results(rows: rows, growth: growth))
  }

  private func report(_ measured: Results) throws {
    var results = measured
    if let output {
      if only != nil, let older = try? Results(contentsOf: output) { results = results.merged(into: older) }
      try results.write(to: output)
      let table = URL(fileURLWithPath: output).deletingPathExtension().appendingPathExtension("md")
      try MarkdownTable(results: results, showsLimits: false).text
        .write(to: table, atomically: true, encoding: .utf8)
    }
    if let docs { try RenderCommand.render(results, into: docs) }
    if let charts { try Charts(results: results).write(to: charts) }
    print(MarkdownTable(results: measured, showsLimits: true).text)
  }

  private static func progress(_ row: Row) -> String {
    let limit = row.limit.map { " (at most \(MarkdownTable.format($0, row.unit)): \(row.verdict.rawValue))" } ?? ""
    return "\(row.id): \(MarkdownTable.format(row.measured, row.unit))\(limit)"
  }
}

import ArgumentParser
import Foundation

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Makes the generated part of a document, or the charts, from a results file, measuring nothing.")

  @Argument(help: "The results file that `run --write` wrote.")
  var results: String

  @Option(help: "The Markdown document with the two markers.")
  var docs: String?

  @Option(help: "The folder for the charts.")
  var charts: String?

  func run() throws {
    let results = try Results(contentsOf: results)
    if let docs { try Self.render(results, into: docs) }
    if let charts { try Charts(results: results).write(to: charts) }
  }

  static func render(_ results: Results, into path: String) throws {
    try GeneratedBlock.replace(inFile: path, with: MarkdownTable(results: results, showsLimits: false).text)
  }
}

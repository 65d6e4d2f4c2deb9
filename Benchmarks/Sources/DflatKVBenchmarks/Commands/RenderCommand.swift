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
    let document = try String(contentsOfFile: path, encoding: .utf8)
    let table = MarkdownTable(results: results, showsLimits: false)
    guard let updated = GeneratedBlock.replace(in: document, with: table.text) else {
      throw ValidationError(
        "\(path) lacks the line \(GeneratedBlock.beginMarker) or the line \(GeneratedBlock.endMarker)")
    }
    try updated.write(toFile: path, atomically: true, encoding: .utf8)
  }
}

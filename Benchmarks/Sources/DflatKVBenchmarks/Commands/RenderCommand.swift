import ArgumentParser
import Foundation

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render", abstract: "Makes the generated part of a document from a results file, measuring nothing.")

  @Argument(help: "The results file that `run --write` wrote.")
  var results: String

  @Option(help: "The Markdown document with the two markers.")
  var docs: String

  func run() throws {
    try Self.render(Results(contentsOf: results), into: docs)
  }

  static func render(_ results: Results, into path: String) throws {
    let document = try String(contentsOfFile: path, encoding: .utf8)
    guard let updated = GeneratedBlock.replace(in: document, with: MarkdownTable(results: results).text) else {
      throw ValidationError(
        "\(path) lacks the line \(GeneratedBlock.beginMarker) or the line \(GeneratedBlock.endMarker)")
    }
    try updated.write(toFile: path, atomically: true, encoding: .utf8)
  }
}

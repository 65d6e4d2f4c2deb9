import Foundation
import TestSupport

/// Copies of schemas that declare our attributes, as stock flatc demands.
final class StockSchemas: Sendable {
  let directory: TemporaryDirectory

  init(of folder: String) throws {
    directory = try TemporaryDirectory("interop-stock")
    for path in FileSchemas.paths(in: folder) {
      var lines = try String(contentsOfFile: path, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      // flatc wants includes before everything else.
      let place = (lines.lastIndex { $0.hasPrefix("include ") } ?? -1) + 1
      lines.insert(contentsOf: ["primary", "indexed", "unique", "v"].map { "attribute \"\($0)\";" }, at: place)
      let name = URL(fileURLWithPath: path).lastPathComponent
      try lines.joined(separator: "\n").write(toFile: directory.file(name), atomically: true, encoding: .utf8)
    }
  }
}

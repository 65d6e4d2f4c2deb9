import Foundation
import TestSupport

/// Copies of schemas for stock flatc, which requires that our attributes are declared.
final class StockSchemas: Sendable {
  enum Attributes { case declared, removed }

  let directory: TemporaryDirectory

  init(of folder: String, _ attributes: Attributes) throws {
    directory = try TemporaryDirectory("interop-stock")
    for path in try FileSchemas.paths(in: folder) {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let copy = attributes == .declared ? Self.declaring(text) : Self.removing(text)
      let name = URL(fileURLWithPath: path).lastPathComponent
      try copy.write(toFile: directory.file(name), atomically: true, encoding: .utf8)
    }
  }

  private static let names = ["primary", "indexed", "unique", "searchable", "v", "swift_name"]

  private static func declaring(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // flatc requires includes before everything else.
    let place = (lines.lastIndex { $0.hasPrefix("include ") } ?? -1) + 1
    lines.insert(contentsOf: names.map { "attribute \"\($0)\";" }, at: place)
    return lines.joined(separator: "\n")
  }

  private static func removing(_ text: String) -> String {
    let declarations = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      !names.contains { line.hasPrefix("attribute \"\($0)\"") }
    }
    return declarations.map { line in
      // No line has two lists of attributes, and no list has a parenthesis in a string.
      guard let list = line.firstMatch(of: #/ \(([^)]*)\)/#), !line.hasPrefix("//") else { return String(line) }
      let others = list.1.split(separator: ",").filter { attribute in
        !names.contains(attribute.split(separator: ":")[0].trimmingCharacters(in: .whitespaces))
      }
      let kept = others.isEmpty ? "" : " (\(others.joined(separator: ",").trimmingCharacters(in: .whitespaces)))"
      return String(line[..<list.range.lowerBound]) + kept + line[list.range.upperBound...]
    }.joined(separator: "\n")
  }
}

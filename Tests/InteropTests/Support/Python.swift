import DflatSchema
import Foundation
import Testing

/// Runs PyPI's package and requires that it agrees.
enum Python {
  /// Reads our bytes and flatc's if they exist, expects the values of the JSON, and writes these values.
  static func run(
    schema: String, work: Work, root: String, identifier: String?, isSizePrefixed: Bool = false,
    at location: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    let folder = URL(fileURLWithPath: schema).deletingLastPathComponent().path
    let description = work.directory.file("schema.json")
    try SchemaDescription(schema: FileSchemas.compile(schema, includePaths: [folder])).json()
      .write(to: URL(fileURLWithPath: description))
    let cases = work.names.map { name in
      let written = [Work.Place.ours, .flatc].map { work.file($0, name).path }
      return [
        "root": root, "corpus": work.file(.json, name).path,
        "read": written.filter { FileManager.default.fileExists(atPath: $0) }, "write": work.file(.python, name).path,
        "identifier": identifier as Any? ?? NSNull(), "sizePrefixed": isSizePrefixed,
      ] as [String: Any]
    }
    let list = work.directory.file("cases.json")
    try JSONSerialization.data(withJSONObject: ["schema": description, "cases": cases])
      .write(to: URL(fileURLWithPath: list))
    let outcome = try await Tool.python("interop.py", [list])
    try #require(outcome.status == 0 && outcome.text.isEmpty, "Python: \(outcome.text)", sourceLocation: location)
  }
}

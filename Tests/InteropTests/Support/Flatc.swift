import Foundation
import TestSupport
import Testing

/// Runs Debian's flatc and requires that it succeeds.
enum Flatc {
  static func run(_ arguments: [String], at location: SourceLocation = #_sourceLocation) async throws {
    let outcome = try await Tool.flatc(arguments)
    try #require(outcome.status == 0, "flatc: \(outcome.text)", sourceLocation: location)
  }

  /// Returns the folder of a schema, which contains its includes.
  static func folder(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  /// Writes the binary form of a schema, which is a FlatBuffer of reflection.fbs, and returns its path.
  static func binarySchema(
    of path: String, in directory: TemporaryDirectory, at location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    try await run([
      "--binary", "--schema", "--bfbs-builtins", "--bfbs-comments", "-I", folder(of: path), "-o", directory.path + "/",
      path,
    ])
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    return directory.file(name + ".bfbs")
  }

  /// Has flatc annotate our bytes, which reports errors where flatc can't follow them.
  ///
  /// The schema has to name its root, because the annotation has no `--root-type`.
  static func expectSound(
    _ work: Work, schema: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let binary = try await binarySchema(of: schema, in: work.directory)
    let annotated = work.folder(.ours)
    try await run(["-o", annotated, "--annotate", binary, "--"] + work.names.map { work.file(.ours, $0).path })
    for name in work.names {
      let text = try String(contentsOfFile: "\(annotated)\(name).afb", encoding: .utf8)
      let errors = text.split(separator: "\n").filter { $0.contains("ERROR") }
      #expect(errors.isEmpty && text.contains("root_table"), "\(name): \(errors)", sourceLocation: location)
    }
  }
}

import DflatSchema
import Foundation
import Testing

/// The compiler's output for `Tests/GoldenModels/Schemas` is in the tree. It is compiled there, and `GeneratedCodeTests`
/// runs it.
///
/// `DFLATKV_UPDATE_GOLDEN=1 swift test --filter GoldenTests` writes it again.
@Suite struct GoldenTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("GoldenModels")

  /// Compiles all schemas at once, like a target: the first schema in a namespace declares it.
  private static func emitted() throws -> [(name: String, text: String)] {
    let schemas = folder.appendingPathComponent("Schemas")
    let paths = try FileManager.default.contentsOfDirectory(atPath: schemas.path)
      .filter { $0.hasSuffix(".fbs") }.sorted().map { schemas.appendingPathComponent($0).path }
    let schema = try SchemaCompiler(source: FileSystemSource()).compile(paths, includePaths: [])
    return SwiftEmitter().files(for: schema, of: paths)
  }

  @Test("Each golden file is equal to the compiler's output") func everyGoldenFileIsWhatTheCompilerMakes() throws {
    let emitted = try Self.emitted()
    try #require(emitted.count >= 25)
    if ProcessInfo.processInfo.environment["DFLATKV_UPDATE_GOLDEN"] != nil {
      for file in emitted {
        try Data(file.text.utf8).write(to: Self.folder.appendingPathComponent(file.name))
      }
    }
    for file in emitted {
      let url = Self.folder.appendingPathComponent(file.name)
      let golden = try? String(decoding: Data(contentsOf: url), as: UTF8.self)
      #expect(golden == file.text, "\(file.name): \(firstDifference(golden ?? "", file.text))")
    }
  }

  @Test("Each golden file belongs to a schema") func noGoldenFileIsLeftOver() throws {
    let there = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".swift") }
    #expect(Set(there) == Set(try Self.emitted().map(\.name)))
  }

  @Test("The output is the same each time") func theOutputIsTheSameEachTime() throws {
    let (first, second) = (try Self.emitted(), try Self.emitted())
    #expect(first.map(\.name) == second.map(\.name))
    #expect(first.map(\.text) == second.map(\.text))
  }

  private func firstDifference(_ golden: String, _ emitted: String) -> String {
    let golden = golden.split(separator: "\n", omittingEmptySubsequences: false)
    let emitted = emitted.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, lines) in zip(golden, emitted).enumerated() where lines.0 != lines.1 {
      return "line \(index + 1) is “\(lines.0)” in the tree, and “\(lines.1)” in the output"
    }
    return "the file in the tree has \(golden.count) lines, and the output \(emitted.count)"
  }
}

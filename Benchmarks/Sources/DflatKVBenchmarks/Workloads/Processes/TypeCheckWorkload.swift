import DflatSchema
import Foundation

/// The time that Swift's compiler takes to check the types of generated code.
enum TypeCheckWorkload {
  /// A schema whose code was slow to check.
  private struct Shape {
    let id: String
    let title: String
    let schema: String
  }

  private static let shapes = [
    Shape(
      id: "typecheck-indexes", title: "type-check a table with 900 indexes",
      schema: "table Big { id: long (primary); \(fields(900, "int")) } root_type Big;"),
    Shape(
      id: "typecheck-enum", title: "type-check an enum of 250 values, and 20 indexed fields of it",
      schema: "enum Kind: short { \((0..<250).map { "v\($0)" }.joined(separator: ", ")) } "
        + "table Wide { id: long (primary); \(fields(20, "Kind")) } root_type Wide;"),
  ]

  private static func fields(_ count: Int, _ type: String) -> String {
    (0..<count).map { "f\($0): \(type) (indexed);" }.joined(separator: " ")
  }

  /// Returns no rows without a compiler in the search path.
  static func rows(_ scratch: ScratchFolder, rounds: Int?) throws -> [Row] {
    guard let swiftc = ToolWorkload.search("swiftc"),
      let folder = Bundle.main.executableURL?.deletingLastPathComponent()
    else { return [] }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../../..")
    let moduleMap = root.appendingPathComponent("Sources/CSQLite/module.modulemap").standardizedFileURL.path
    return try shapes.map { shape in
      let schemaPath = scratch.url.appendingPathComponent("\(shape.id).fbs").path
      try shape.schema.write(toFile: schemaPath, atomically: true, encoding: .utf8)
      let schema = try SchemaCompiler(source: FileSystemSource()).compile(schemaPath)
      guard let file = SwiftEmitter().files(for: schema, of: [schemaPath]).first else {
        throw BenchmarkFailure("no Swift was generated")
      }
      let swift = scratch.url.appendingPathComponent(file.name)
      try Data(file.text.utf8).write(to: swift)
      let arguments = [
        "-typecheck", "-swift-version", "6", "-I", folder.appendingPathComponent("Modules").path, "-Xcc",
        "-fmodule-map-file=\(moduleMap)", swift.path,
      ]
      let seconds = Samples(
        try (0..<min(rounds ?? 3, 3)).map { _ in
          let start = MonotonicClock.nanoseconds
          _ = try ChildProcess.run(arguments, of: URL(fileURLWithPath: swiftc))
          return Double(MonotonicClock.nanoseconds - start) / 1e9
        })
      return Row(
        id: shape.id, title: shape.title, baseline: "", unit: .seconds, measured: seconds.median,
        lowerQuartile: seconds.quantile(0.25), upperQuartile: seconds.quantile(0.75), limit: 3, rounds: 3,
        note: "`swiftc -typecheck` of the generated file, the whole process")
    }
  }
}

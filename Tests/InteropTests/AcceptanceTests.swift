import DflatSchema
import TestSupport
import Testing

/// Each compiler takes what was written for the other.
@Suite struct AcceptanceTests {
  /// Schemas in the manner of the FlatBuffers documentation.
  @Test(arguments: FileSchemas.paths(in: Tool.samples)) func oursTakesStockSchemas(path: String) async throws {
    let directory = try TemporaryDirectory("interop")
    try await Flatc.run(["--binary", "--schema", "-I", Tool.samples, "-o", directory.path + "/", path])
    let schema = try FileSchemas.compile(path, includePaths: [Tool.samples])
    let files = try SwiftEmitter(options: SwiftEmitter.Options()).files(for: schema)
    #expect(!files.isEmpty)
  }
}

import DflatSchema
import Foundation
import TestSupport
import Testing

/// Generated models that are in the tree: those of this suite, and of the tests that a browser runs.
@Suite struct ModelTests {
  /// With `DFLATKV_UPDATE_GOLDEN=1`, the test writes them again.
  @Test(
    "Each model in the tree is equal to the compiler's output",
    arguments: [
      (schemas: Tool.schemas, models: "Tests/InteropTests/Models"),
      (schemas: Tool.webSchemas, models: "Tests/EtcdTests/WebTests/Models"),
    ])
  func areWhatTheCompilerMakes(schemas: String, models folder: String) throws {
    let paths = try FileSchemas.paths(in: schemas)
    let schema = try SchemaCompiler(source: FileSystemSource()).compile(paths, includePaths: [schemas])
    let models = InstalledProgram.checkout.appendingPathComponent(folder)
    for file in SwiftEmitter().files(for: schema, of: paths) {
      let url = models.appendingPathComponent(file.name)
      if ProcessInfo.processInfo.environment["DFLATKV_UPDATE_GOLDEN"] == "1" {
        try Data(file.text.utf8).write(to: url)
      }
      let kept = try String(contentsOf: url, encoding: .utf8)
      #expect(kept == file.text, "\(file.name) has changed: run the tests with DFLATKV_UPDATE_GOLDEN=1")
    }
  }
}

import DflatSchema
import Foundation
import TestSupport
import Testing

/// The generated models of this suite, which are in the tree.
@Suite struct ModelTests {
  /// With `DFLATKV_UPDATE_GOLDEN=1`, the test writes them again.
  @Test("Each model in the tree is equal to the compiler's output") func areWhatTheCompilerMakes() throws {
    let paths = try FileSchemas.paths(in: Tool.schemas)
    let schema = try SchemaCompiler(source: FileSystemSource()).compile(paths, includePaths: [Tool.schemas])
    let models = InstalledProgram.checkout.appendingPathComponent("Tests/InteropTests/Models")
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

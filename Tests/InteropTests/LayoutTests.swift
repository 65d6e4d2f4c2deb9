import DflatBuffers
import DflatCore
import DflatSchema
import Foundation
import TestSupport
import Testing

/// What flatc makes of a schema, in its binary form, against what this package's compiler makes of it.
@Suite struct LayoutTests {
  static let schemas =
    FileSchemas.paths(in: Tool.schemas).filter { !$0.hasSuffix("/string_defaults.fbs") }
    + FileSchemas.paths(in: Tool.samples)

  @Test(arguments: schemas) func sameSlotsSizesAndDefaults(path: String) async throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let directory = try TemporaryDirectory("interop")
    let schema = try FileSchemas.compile(path, includePaths: [folder])
    let binary = try await Flatc.binarySchema(of: path, includes: folder, in: directory)
    let theirs = try Reflected.Root(data: Data(contentsOf: URL(fileURLWithPath: binary)))
    #expect(try summary(of: schema) == summary(of: theirs))
    #expect(schema.files.last?.fileIdentifier ?? "" == theirs.identifier ?? "")
    #expect(schema.files.last?.rootTable.map { schema.tables[$0].name.description } == theirs.root?.name)
  }
}

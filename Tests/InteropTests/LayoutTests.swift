import DflatBuffers
import DflatCore
import DflatSchema
import Foundation
import TestSupport
import Testing

/// Both compilers accept schemas that were written for the other, and compute the same slots, offsets, sizes and
/// defaults.
@Suite struct LayoutTests {
  static func schemas() throws -> [String] {
    try FileSchemas.paths(in: Tool.schemas).filter { !$0.hasSuffix("/string_defaults.fbs") }
  }

  @Test("Dflat and flatc compute the same layout for the schemas of this suite", arguments: try schemas())
  func schemasOfThisSuite(path: String) async throws {
    try await expectSameLayout(path)
  }

  /// Schemas in the style of the FlatBuffers documentation. The emitter also writes Swift for each of them.
  @Test("Dflat and flatc compute the same layout for stock schemas", arguments: try FileSchemas.paths(in: Tool.samples))
  func stockSchemas(path: String) async throws {
    try await expectSameLayout(path)
    let schema = try FileSchemas.compile(path, includePaths: [Tool.samples])
    let file = try #require(schema.files.last)
    let emitted = SwiftEmitter().files(for: schema, of: [file.path])
    #expect(emitted.map(\.name) == [URL(fileURLWithPath: path).lastPathComponent + ".swift"])
  }

  /// The golden schemas that flatc 2.0.8 refuses, with its reasons. It accepts all others with declared attributes.
  static let refusedByFlatc = [
    "defaults": "Default values for strings and vectors are not supported",
    "entities": "is not part of enum",
    "hidden": "field name can not be the same as table/struct name",
    "long_names": "Default values for strings and vectors are not supported",
    "names": "field name can not be the same as table/struct name",
    "namespaces": "type referenced but not defined (check namespace): Second.Deep",
    "odd_names": "field name can not be the same as table/struct name",
    "shadows": "type referenced but not defined (check namespace): UnionLayout",
    "structs": "is not part of enum",
  ]

  @Test("Dflat and flatc compute the same layout for the golden schemas that flatc accepts")
  func goldenSchemas() async throws {
    let stock = try StockSchemas(of: Tool.goldenSchemas, .declared)
    let paths = try FileSchemas.paths(in: stock.directory.path)
    #expect(paths.count > Self.refusedByFlatc.count)
    for path in paths {
      let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
      guard let reason = Self.refusedByFlatc[name] else {
        try await expectSameLayout(path)
        continue
      }
      let outcome = try await Tool.flatc(["--binary", "--schema", "-I", stock.directory.path, path])
      #expect(outcome.status != 0 && outcome.text.contains(reason), "\(name): \(outcome.text)")
    }
  }

  private func expectSameLayout(_ path: String, at location: Testing.SourceLocation = #_sourceLocation) async throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let directory = try TemporaryDirectory("interop")
    let schema = try FileSchemas.compile(path, includePaths: [folder])
    let binary = try await Flatc.binarySchema(of: path, in: directory)
    let theirs = try Reflected.Root(data: Data(contentsOf: URL(fileURLWithPath: binary)))
    let file = try #require(schema.files.last)
    let (mine, stock) = (Set(try summary(of: schema)), Set(try summary(of: theirs)))
    #expect(mine.subtracting(stock) == stock.subtracting(mine), "\(path)", sourceLocation: location)
    #expect(file.fileIdentifier ?? "" == theirs.identifier ?? "", sourceLocation: location)
    #expect(
      file.rootTable.map { schema.tables[$0].name.description } == theirs.root?.name, "\(path)",
      sourceLocation: location)
  }
}

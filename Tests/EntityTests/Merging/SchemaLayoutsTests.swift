import DflatSchema
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatBuffers
@testable import DflatEntities

/// Schemas come from files, which may have been made to keep programs busy.
@Suite struct SchemaLayoutsTests {
  @Test("Layouts that refer to each other are freed with their schema") func freed() throws {
    let versions = try SchemaVersions(
      "table Node { a: int; } root_type Node;",
      "union Any { Node } table Node { a: int; next: Node; other: Any; nodes: [Node]; } root_type Node;")
    let bytes = try versions.newer.bytes(
      #"{"next": {"other_type": "Node", "other": {}}, "nodes": [{}]}"#)
    weak var plan: LayoutPlan?
    try bytes.withUnsafeBytes { bytes in
      let layouts = SchemaLayouts(versions.fields.newer)
      plan = layouts.table(versions.newer.root).plan
      _ = try FlatBufferVerifier().verify(root: layouts.table(versions.newer.root), in: bytes)
      withExtendedLifetime(layouts) { #expect(plan != nil) }
    }
    #expect(plan == nil)
  }

  @Test("The layouts of structs equal those in generated code") func structs() throws {
    let file = InstalledProgram.checkout.appendingPathComponent("Tests/GoldenModels/Schemas/structs.fbs")
    let schema = try SchemaText.schema(of: String(contentsOf: file, encoding: .utf8))
    typealias S = Golden.Structs
    #expect(
      SchemaLayouts(schema).structs == [
        S.Vec3.flatBufferLayout, S.Padded.flatBufferLayout, S.Line.flatBufferLayout, S.Grid.flatBufferLayout,
        S.Aligned.flatBufferLayout,
      ])
  }

  @Test("Structs in arrays may have more arrays than bytes") func arrays() throws {
    let structs = (1..<64).map { "struct S\($0) { s: [S\($0 - 1):1]; }" }
    let schema = try SchemaText.schema(of: "struct S0 { b: [ubyte:1]; }\n" + structs.joined(separator: "\n"))
    let layouts = SchemaLayouts(schema)
    #expect(layouts.structs.map(\.arrays) == Array(1...64))
    #expect(layouts.structs.allSatisfy { $0.size == 1 })
  }

  private static let declared = "table T { key: string (primary); } root_type T;"

  /// Returns a newer schema of `declared`, with these types, of which `A0` is the first one.
  private static func schema(_ types: [String]) -> String {
    types.joined(separator: "\n") + "\ntable T { key: string (primary); a: A0; b: [A0]; } root_type T;"
  }

  /// Returns tables, each with fields of the next one's type.
  private static func chain(_ count: Int, _ fields: (String) -> String) -> [String] {
    (0..<count).map { index in
      "table A\(index) { \(index + 1 < count ? fields("A\(index + 1)") : "n: int;") }"
    }
  }

  @Test("Schemas are merged with, however many paths lead through their types, and however long they are")
  func paths() throws {
    let types: [[String]] = [
      Self.chain(1_500) { "x: \($0);" },
      Self.chain(40) { "x: \($0); y: \($0);" },
      Self.chain(80) { "x: U\($0); } union U\($0) { \($0)" },
      Self.chain(500) { "x: [\($0)];" },
      // A cycle of each with each has more paths than anyone can follow.
      (0..<20).map { index in
        "table A\(index) { \((0..<20).map { "f\($0): A\($0);" }.joined(separator: " ")) }"
      },
    ]
    for types in types {
      let result = SchemaCompatibility(ofObjects: Self.schema(types), to: Self.declared)
      guard case .newer(let fields) = result else { throw Refusal() }
      let bytes = try SchemaVersions.Version(SchemaText.schema(of: Self.schema(types))).bytes(
        #"{"key": "k", "a": {}, "b": [{}]}"#)
      _ = try bytes.withUnsafeBytes { try #require(fields as? UnknownFields).verified($0) }
    }
  }

  @Test("An older program keeps a newer field of a type whose tables have fields of each other") func eachOther() throws
  {
    let tables = (0..<9).map { index in
      "table A\(index) { n: int; \((0..<9).filter { $0 != index }.map { "f\($0): A\($0);" }.joined(separator: " ")) }"
    }.joined(separator: "\n")
    func schema(_ fields: String) -> String {
      tables + "\ntable T { key: string (primary); a: A0; \(fields) } root_type T;"
    }
    try SchemaVersions(schema(""), schema("note: string;")).expect(
      #"{"key": "k", "a": {"n": 2, "f1": {"f0": {"n": 3}}}}"#,
      over: #"{"key": "k", "a": {"n": 1}, "note": "kept"}"#,
      gives: #"{"key": "k", "a": {"n": 2, "f1": {"f0": {"n": 3}}}, "note": "kept"}"#)
  }

  @Test("Texts with equal digests have results of their own") func digests() {
    let schema = DeclaredSchema(
      FlatBuffersSchema(root: "EvolvingItem", text: ItemText.first), ofTable: "evolving_item")
    for _ in 0..<2 {
      guard case .newer = schema.compatibility(with: ItemText.second, digest: 7),
        case .incompatible = schema.compatibility(with: ItemText.shortened, digest: 7)
      else {
        Issue.record("a result is that of another text")
        return
      }
    }
  }
}

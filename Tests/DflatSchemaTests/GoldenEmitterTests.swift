import DflatSchema
import Foundation
import Testing

/// Behavior that golden files can't show: options, several files in one run, large schemas.
@Suite struct GoldenEmitterTests {
  private func emit(
    _ files: [String: String], of paths: [String], options: SwiftEmitter.Options = .init()
  ) throws -> [String: String] {
    let schema = try SchemaCompiler(source: MemorySource(files)).compile(paths, includePaths: [])
    return Dictionary(uniqueKeysWithValues: SwiftEmitter(options: options).files(for: schema, of: paths))
  }

  @Test("Included files are not emitted") func includedFilesAreNotEmitted() throws {
    let files = ["a.fbs": "include \"b.fbs\"; table A { b: B; }", "b.fbs": "table B { x: int; }"]
    #expect(try emit(files, of: ["a.fbs"]).keys.sorted() == ["a.fbs.swift"])
    #expect(try emit(files, of: ["a.fbs", "b.fbs"]).keys.sorted() == ["a.fbs.swift", "b.fbs.swift"])
  }

  @Test("The first file in a namespace declares it") func theFirstFileInANamespaceDeclaresIt() throws {
    let files = [
      "a.fbs": "include \"b.fbs\"; namespace N.M; table A { x: int; }",
      "b.fbs": "namespace N; table B { x: int; }",
      "c.fbs": "namespace N.M; table C { x: int; }",
    ]
    let swift = try emit(files, of: ["a.fbs", "b.fbs", "c.fbs"])
    #expect(swift["b.fbs.swift"]?.contains("public enum N {}") == true)
    #expect(swift["a.fbs.swift"]?.contains("public enum N {}") == false)
    #expect(swift["a.fbs.swift"]?.contains("extension N {\n  public enum M {}\n}") == true)
    #expect(swift["c.fbs.swift"]?.contains("public enum") == false)
  }

  @Test("A root has the canonical text of its schema, once, and other types have none") func schemas() throws {
    let plain = "namespace N; table Part { x: int; } table Whole { part: Part; } root_type Whole;"
    let entity = "table Entity { key: string (primary); } root_type Entity;"
    let swift = try emit(["plain.fbs": plain, "entity.fbs": entity], of: ["plain.fbs", "entity.fbs"])
    for (file, root) in [("plain.fbs.swift", "N.Whole"), ("entity.fbs.swift", "Entity")] {
      let parts = try #require(swift[file]).components(
        separatedBy: "static let flatBuffersSchema: FlatBuffersSchema? =")
      #expect(parts.count == 2 && parts[1].contains("root: \"\(root)\","), "\(file)")
      #expect(parts.joined().components(separatedBy: "root_type").count == 2, "\(file)")
    }
    #expect(swift["entity.fbs.swift"]?.contains("schema: flatBuffersSchema)") == true)
  }

  @Test("A struct's layout counts its arrays, with those of the structs inside it") func arraysOfStructs() throws {
    let structs =
      "struct Scalar { x: int; } struct Pair { x: [int:2]; } struct Outer { pair: Pair; pairs: [Pair:3]; s: [Scalar:2]; }"
    let swift = try emit(["a.fbs": structs], of: ["a.fbs"])["a.fbs.swift"] ?? ""
    #expect(swift.contains("\"Scalar\", size: 4, alignment: 4)"))
    #expect(swift.contains("\"Pair\", size: 8, alignment: 4, arrays: 1)"))
    // The array of `pair`, `pairs` and its three arrays, and `s`.
    #expect(swift.contains("\"Outer\", size: 40, alignment: 4, arrays: 6)"))
    // There may be more arrays than bytes.
    let bytes = "struct Byte { x: [ubyte:1]; } struct Bytes { list: [Byte:5]; }"
    #expect(
      try emit(["b.fbs": bytes], of: ["b.fbs"])["b.fbs.swift"]?
        .contains("\"Bytes\", size: 5, alignment: 1, arrays: 6)") == true)
  }

  @Test("An enum can have the name of a type that Swift adds to it") func enumsWithNamesOfAssociatedTypes() throws {
    let enums = """
      enum RawValue : byte { a }
      enum AllCases : byte { b }
      enum Element : ubyte (bit_flags) { c }
      enum Color : byte { d }
      """
    let swift = try #require(try emit(["a.fbs": enums], of: ["a.fbs"])["a.fbs.swift"])
    // Within the type, its name would mean `Int8`, or an array.
    for (name, value) in [("RawValue", "a"), ("AllCases", "b")] {
      #expect(swift.contains("public enum \(name): Int8, "))
      #expect(swift.contains("  public static var flatBufferDefault: Self { .\(value) }\n"))
    }
    #expect(swift.contains("public struct Element: OptionSet, "))
    #expect(swift.contains("  public static let c = Self(rawValue: 1)\n"))
    #expect(swift.components(separatedBy: "func < (lhs: Self, rhs: Self) -> Bool").count == 4)
    #expect(swift.contains("func < (lhs: Color, rhs: Color) -> Bool"))
  }

  @Test("A field with the name of a root's schema gets another name in queries") func schemaAsField() throws {
    let entity = "table Entity { key: string (primary); flat_buffers_schema: string; } root_type Entity;"
    let swift = try emit(["a.fbs": entity], of: ["a.fbs"])["a.fbs.swift"] ?? ""
    #expect(swift.contains("public let flatBuffersSchema: String?"))
    #expect(swift.contains("public static let flatBuffersSchema_: FieldExpr<String, Entity>"))
  }

  /// A field keeps its underscore if another one has its name without it.
  @Test("No field has the name of a member that generated code adds") func membersOfGeneratedCode() throws {
    let added = ["identity", "values", "place", "entity", "fields", "indexes", "primaryKey", "searchable"]
    let fields = added.map { "\($0): int; _\($0): int;" }.joined(separator: " ")
    let text = """
      table Entity { key: string (primary); \(fields) } root_type Entity;
      table Value { place: int; _place: int; }
      struct Point { place: int; _place: int; }
      """
    let swift = try #require(try emit(["a.fbs": text], of: ["a.fbs"])["a.fbs.swift"])
    for member in ["_identity", "_values", "_place"] {
      #expect(swift.contains("  public let \(member)_: Int32\n"))
      #expect(!swift.contains(" \(member): Int32"))
    }
    for member in ["_entity", "_fields", "_indexes", "_primaryKey", "_searchable"] {
      #expect(swift.contains("  public let \(member): Int32\n"))
      #expect(swift.contains("  public static let \(member)_: FieldExpr<Int32, Entity>"))
      #expect(!swift.contains("static let \(member): FieldExpr"))
    }
    #expect(!swift.contains("var _place: FieldExpr"))
  }

  @Test("No two fields have the same name in queries or in a builder, if one gets an underscore there")
  func addedUnderscores() throws {
    let names = [
      "fields", "builder", "layoutFields", "entity", "flatBufferLayout", "build", "_fields", "_Fields", "_Fields_",
      "_Builder", "_Builder_", "_layoutFields", "_layoutFields_", "_entity", "_entity_", "flatBufferLayout_", "build_",
    ]
    let fields = names.map { "\($0): int;" }.joined(separator: " ")
    let text = "table Entity { key: string (primary); \(fields) } root_type Entity;"
    let swift = try #require(try emit(["a.fbs": text], of: ["a.fbs"])["a.fbs.swift"])
    let inQueries = Set(swift.matches(of: #/static let (\w+): FieldExpr<Int32,/#).map { String($0.1) })
    let inBuilder = Set(swift.matches(of: #/public var (\w+): Int32\n/#).map { String($0.1) })
    #expect(inQueries.count == names.count && inBuilder.count == names.count)
    let added: Set = ["_fields", "_Fields", "_Builder", "_layoutFields", "_entity", "flatBufferLayout"]
    #expect(inQueries.isDisjoint(with: added) && !inBuilder.contains("build"))
  }

  @Test(
    "No field has the name of the storage that Swift adds for a boxed one",
    arguments: [
      ("next: Node; _next: int;", "next", "_next_"), ("default: Node; _default: int;", "`default`", "_default_"),
      ("x: int (swift_name: \"_next\"); next: Node;", "next_", "_next"),
    ])
  func storageOfBoxes(fields: String, boxed: String, other: String) throws {
    let swift = try #require(try emit(["a.fbs": "table Node { \(fields) }"], of: ["a.fbs"])["a.fbs.swift"])
    #expect(swift.contains("  @Indirect public var \(boxed): Node?\n"))
    #expect(swift.contains("  public var \(other): Int32\n"))
  }

  @Test("The emitter declares no namespaces if an option leaves them to the user")
  func namespacesAreLeftToTheUser() throws {
    let swift = try emit(
      ["a.fbs": "namespace N.M; table A { x: int; }"], of: ["a.fbs"], options: .init(declaresNamespaces: false))
    #expect(swift["a.fbs.swift"]?.contains("public enum") == false)
    #expect(swift["a.fbs.swift"]?.contains("extension N.M {") == true)
  }

  @Test("A file imports a module only if it uses its types") func modulesAreImportedWhereTheyAreUsed() throws {
    let files = [
      "a.fbs": "include \"b.fbs\"; table A { b: B; }",
      "b.fbs": "table B { x: int; }",
      "c.fbs": "include \"b.fbs\"; table C { x: int; b: B (deprecated); }",
      "d.fbs": "include \"b.fbs\"; table D { x: [ubyte] (nested_flatbuffer: \"B\"); }",
    ]
    let swift = try emit(files, of: ["a.fbs", "c.fbs", "d.fbs"], options: .init(imports: ["Base"]))
    #expect(swift["a.fbs.swift"]?.contains("public import Base\npublic import DflatBuffers\n") == true)
    #expect(swift["c.fbs.swift"]?.contains("Base") == false)
    #expect(swift["d.fbs.swift"]?.contains("public import Base\n") == true)
  }

  @Test("A file that extends a namespace of another module imports that module")
  func aNamespaceOfAnotherModuleIsImported() throws {
    let files = [
      "a.fbs": "include \"b.fbs\"; namespace N; table A { x: int; }", "b.fbs": "namespace N.M; table B { x: int; }",
    ]
    let swift = try emit(files, of: ["a.fbs"], options: .init(imports: ["Base"]))
    #expect(swift["a.fbs.swift"]?.contains("public import Base\n") == true)
    #expect(swift["a.fbs.swift"]?.contains("public enum N") == false)
  }

  @Test("The Swift file of a schema without types imports nothing") func aSchemaWithoutTypesImportsNothing() throws {
    let swift = try emit(["a.fbs": "include \"b.fbs\";", "b.fbs": "table B { x: int; }"], of: ["a.fbs"])
    #expect(swift["a.fbs.swift"] == "// Generated by dflatc from a.fbs; changes made here are lost.\n")
  }

  /// The cycle of types is deeper than any stack.
  @Test("The emitter boxes the fields of a cycle of 5,000 tables") func longCyclesAreFound() throws {
    let count = 5000
    let tables = (0..<count).map { "table T\($0) { next: T\(($0 + 1) % count); other: [T0]; }" }
    let swift = try emit(["a.fbs": tables.joined(separator: "\n")], of: ["a.fbs"])
    let text = try #require(swift["a.fbs.swift"])
    #expect(text.split(separator: "\n").count { $0.contains("@Indirect public var next") } == count)
  }

  @Test("Only fields in a cycle are boxed") func onlyFieldsInACycleAreBoxed() throws {
    let schema = """
      table A { b: B; c: C; u: U; r: R; }
      table B { a: A; c: C; }
      table C { x: int; u: V; }
      union U { A }
      union V { W }
      table W { x: int; }
      table R { id: int (primary); a: A; }
      root_type R;
      """
    let text = try #require(try emit(["a.fbs": schema], of: ["a.fbs"])["a.fbs.swift"])
    #expect(text.contains("@Indirect public var b: B?"))
    #expect(text.contains("@Indirect public var a: A?"))
    #expect(text.split(separator: "\n").count { $0.contains("@Indirect") } == 2)
    #expect(text.contains("public indirect enum U"))
    #expect(text.contains("public enum V"))
  }

  /// Swift warns of needless backticks, which breaks packages that treat warnings as errors.
  @Test("Labels of defaults have backticks only where Swift needs them")
  func labelsOfDefaultsNeedNoBackticks() throws {
    let schema = """
      struct S { x: int; }
      union U { B }
      table B { default: S (required); inout: string (required); u: string; }
      table A { id: int (primary); u: U (required); b: B (required); }
      root_type A;
      """
    let text = try #require(try emit(["a.fbs": schema], of: ["a.fbs"])["a.fbs.swift"])
    #expect(text.contains("    u = .b(.init(default: .init(), `inout`: \"\"))\n"))
    #expect(text.contains("    b = .init(default: .init(), `inout`: \"\")\n"))
  }

  @Test("A long default stays in one piece, whatever it contains", arguments: ["a ?? b", "\\\" ?? b", "\\\\ ?? \\\""])
  func longDefaultsStayInOnePiece(text: String) throws {
    let literal = "\"" + String(repeating: "x", count: 120) + text + "\""
    let schema = """
      table A { id: int (primary); text: string = \(literal); }
      root_type A;
      """
    let swift = try #require(try emit(["a.fbs": schema], of: ["a.fbs"])["a.fbs.swift"])
    // In a new builder, and where an object is decoded.
    #expect(swift.contains("    text =\n      \(literal)\n"))
    #expect(swift.contains("      try table.string(6)\n      ?? \(literal)\n"))
  }

  @Test("A required table's key has its default in a new builder") func defaultOfKeyInRequiredTable() throws {
    let schema = """
      table Inner { id: string = "x" (primary); }
      table A { id: int (primary); inner: Inner (required); }
      root_type A;
      """
    let swift = try #require(try emit(["a.fbs": schema], of: ["a.fbs"])["a.fbs.swift"])
    #expect(swift.contains("    inner = .init(id: \"x\")\n"))
  }

  /// Swift's compiler needs minutes for hundreds of `??` in one initializer.
  @Test("Initializers of large tables contain no nil-coalescing operators")
  func initializersOfLargeTablesDoWithoutNilCoalescing() throws {
    let fields = (0..<65).map { "f\($0): int;" }.joined(separator: " ")
    let small = try #require(try emit(["a.fbs": "table A { f: int; }"], of: ["a.fbs"])["a.fbs.swift"])
    let large = try #require(try emit(["a.fbs": "table A { \(fields) }"], of: ["a.fbs"])["a.fbs.swift"])
    #expect(small.contains("self.f = f ?? 0"))
    #expect(large.contains("self.f64 = if let f64 { f64 } else { 0 }"))
    #expect(!large.contains(" ?? "))
  }
}

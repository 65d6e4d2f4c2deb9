import DflatSchema
import Testing

/// The constructs of the language, and their form in the compiled schema.
@Suite struct ConstructTests {
  @Test("Each scalar type is known by all its names") func everyScalarHasItsNames() throws {
    let names = [
      ("bool", ScalarType.bool), ("byte", .byte), ("int8", .byte), ("ubyte", .ubyte), ("uint8", .ubyte),
      ("short", .short), ("int16", .short), ("ushort", .ushort), ("uint16", .ushort), ("int", .int), ("int32", .int),
      ("uint", .uint), ("uint32", .uint), ("long", .long), ("int64", .long), ("ulong", .ulong), ("uint64", .ulong),
      ("float", .float), ("float32", .float), ("double", .double), ("float64", .double),
    ]
    let fields = names.enumerated().map { "a\($0.offset): \($0.element.0); b\($0.offset): [\($0.element.0)];" }
    let table = try schema("table T { \(fields.joined(separator: " ")) }").table("T")
    for (index, (_, scalar)) in names.enumerated() {
      #expect(table.fields[2 * index].type == .element(.scalar(scalar)))
      #expect(table.fields[2 * index + 1].type == .vector(.scalar(scalar)))
    }
  }

  @Test("Fields can have types that are declared later") func fieldsHaveEveryTypeBeforeItIsDeclared() throws {
    let schema = try schema(
      """
      table T {
        a: E; b: S; c: U; d: O; e: string; f: [E]; g: [S]; h: [U]; i: [O]; j: [string]; k: T;
      }
      table O {}
      union U { O }
      struct S { x: int; }
      enum E : byte { a }
      """)
    let table = try schema.table("T")
    let elements: [TableDefinition.ElementType] = [
      .enumeration(0), .structure(0), .union(0), .table(1), .string,
    ]
    #expect(table.fields.prefix(5).map(\.type) == elements.map { .element($0) })
    #expect(table.fields.dropFirst(5).prefix(5).map(\.type) == elements.map { .vector($0) })
    #expect(try table.field("k").type == .element(.table(0)))
    #expect(table.fields.map(\.slot) == [4, 6, 10, 12, 14, 16, 18, 22, 24, 26, 28])
  }

  @Test("Ids determine the slots of fields") func idsGiveSlots() throws {
    let table = try schema(
      "table T { c: string (id: 4); a: int (id: 0); u: U (id: 2); v: [U] (id: 6); b: int (id: 3, deprecated); } union U { T }"
    ).table("T")
    #expect(errors("table T { u: U (id: 1); } union U { T }") == [])
    #expect(table.fields.map(\.name) == ["c", "a", "u", "v", "b"])
    #expect(table.fields.map(\.slot) == [12, 4, 8, 16, 10])
  }

  @Test("Keywords can be names") func wordsOfTheLanguageAreNamesWhereNamesStand() throws {
    let words = [
      "table", "struct", "enum", "union", "namespace", "include", "attribute", "root_type", "rpc_service",
      "file_identifier", "file_extension", "native_include", "int", "string", "bool", "float", "true", "null", "inf",
    ]
    let fields = words.map { "\($0): int;" }.joined(separator: "\n")
    let values = words.joined(separator: ", ")
    let schema = try schema(
      "table table { \(fields) } struct struct { \(fields) } enum enum : byte { \(values) } union union { table, struct: table }"
    )
    #expect(schema.tables[0].fields.map(\.name) == words)
    #expect(schema.structs[0].fields.map(\.name) == words)
    #expect(schema.enums[0].values.map(\.name) == words)
    #expect(schema.unions[0].members.map(\.name) == ["table", "struct"])
  }

  @Test("Names are looked up from the innermost namespace outward") func namesAreLookedUpFromTheInside() throws {
    let schema = try schema(
      """
      table X {}
      namespace A;
      table X {}
      table Y { a: X; b: A.X; }
      namespace A.B;
      table X {}
      table Y { a: X; b: A.X; c: B.X; d: A.B.X; }
      namespace C;
      table Y { a: X; }
      namespace;
      table Z { a: X; b: A.B.Y; }
      """)
    func types(_ name: String) throws -> [String] {
      try schema.table(name).fields.map { field in
        guard case .element(.table(let index)) = field.type else { return "" }
        return schema.tables[index].name.description
      }
    }
    #expect(try types("A.Y") == ["A.X", "A.X"])
    #expect(try types("A.B.Y") == ["A.B.X", "A.X", "A.B.X", "A.B.X"])
    #expect(try types("C.Y") == ["X"])
    #expect(try types("Z") == ["X", "A.B.Y"])
    #expect(schema.files[0].namespaces == [[], ["A"], ["A", "B"], ["C"]])
  }

  @Test("Enum values without numbers continue the count, and numbers can have any order")
  func enumsCountAndMayHaveAnyOrder() throws {
    let schema = try schema(
      """
      enum A : short { a, b = 5, c, d = -3, e, }
      enum B : ulong { max = 18446744073709551615 }
      enum C : ubyte (bit_flags) { a, b, c = 7, d = 4 }
      """)
    #expect(schema.enums[0].values.map(\.number) == [0, 5, 6, -3, -2])
    #expect(schema.enums[0].base == .short)
    #expect(schema.enums[1].values.map(\.number) == [18_446_744_073_709_551_615])
    #expect(schema.enums[2].isBitFlags)
    #expect(schema.enums[2].values.map(\.number) == [1, 2, 128, 16])
  }

  @Test("Unions can contain tables, structs and strings") func unionsHoldTablesStructsAndStrings() throws {
    let schema = try schema(
      """
      namespace N;
      table A {}
      struct S { x: int; }
      namespace;
      union U { N.A, other: N.A, S: N.S = 7, text: string, string }
      union V : ubyte { N.A }
      """)
    let members = schema.unions[0].members
    #expect(members.map(\.name) == ["A", "other", "S", "text", "string"])
    #expect(members.map(\.jsonName) == ["N_A", nil, nil, nil, nil])
    #expect(members.map(\.kind) == [1, 2, 7, 8, 9])
    #expect(members.map(\.type) == [.table(0), .table(0), .structure(0), .string, .string])
  }

  @Test("A union has at most 255 members") func aUnionHasUpTo255Members() throws {
    let tables = (1...256).map { "table T\($0) {}" }.joined(separator: "\n")
    let members = (1...255).map { "T\($0)" }.joined(separator: ", ")
    #expect(try schema("\(tables) union U { \(members) }").unions[0].members.count == 255)
    #expect(errors("\(tables) union U { \(members), T256 }").count == 1)
  }

  @Test("Structs are laid out by the alignment of their fields") func structsAreLaidOut() throws {
    let schema = try schema(
      """
      struct Outer { a: byte; b: Inner; c: [short:3]; d: [Inner:2]; e: E; }
      struct Inner { x: ubyte; y: double; z: bool; }
      enum E : ushort { a }
      struct Aligned (force_align: 16) { x: float; y: Tight; }
      struct Tight { x: byte; }
      """)
    let outer = try schema.structure("Outer")
    #expect(try schema.structure("Inner").fields.map(\.offset) == [0, 8, 16])
    #expect(try schema.structure("Inner").size == 24)
    #expect(outer.fields.map(\.offset) == [0, 8, 32, 40, 88])
    #expect((outer.size, outer.alignment) == (96, 8))
    #expect(outer.fields[3].type == .array(.structure(1), count: 2))
    let aligned = try schema.structure("Aligned")
    #expect((aligned.size, aligned.alignment) == (16, 16))
    let tight = try schema.structure("Tight")
    #expect((tight.size, tight.alignment) == (1, 1))
  }

  @Test("The root table and its properties are part of the schema") func rootsAreMarked() throws {
    let schema = try schema(
      """
      namespace N;
      table A (v: "1.2_b") { x: string (primary); y: int (primary); z: string (key); }
      root_type A;
      file_identifier "ABCD";
      file_extension "bin";
      """)
    #expect(schema.files[0].rootTable == 0)
    #expect(schema.files[0].fileIdentifier == "ABCD")
    #expect(schema.files[0].fileExtension == "bin")
    #expect(schema.tables[0].isRoot)
    #expect(schema.tables[0].version == "1.2_b")
    #expect(schema.tables[0].fields.map(\.isPrimary) == [true, true, false])
    #expect(schema.tables[0].fields.map(\.isRequired) == [true, false, true])
  }

  @Test("A root without a primary key is a plain table with the file's identifier") func rootsMayBePlain() throws {
    let text = "table A { a: A; b: B; } table B {} root_type A; file_identifier \"AAAA\";"
    let plain = try schema(text)
    #expect(plain.tables[0].isRoot && !plain.tables[0].isEntity && plain.warnings.isEmpty)
    let swift = SwiftEmitter().files(for: plain, of: ["t.fbs"])[0].text
    #expect(swift.contains("public struct A: FlatBufferTableValue, FlatBuffersCodable, Hashable {"))
    #expect(swift.contains("  @Indirect public var a: A?\n"))
    #expect(swift.contains("identifier: \"AAAA\","))
    #expect(!swift.contains("ABuilder") && !swift.contains("ChangeRequest"))
    #expect(!swift.contains("Atom {") && !swift.contains("EntityDescription"))
    let entity = try schema(text.replacing("b: B;", with: "b: B; id: int (primary);"))
    #expect(entity.tables[0].isEntity)
    #expect(SwiftEmitter().files(for: entity, of: ["t.fbs"])[0].text.contains("public final class A: Atom {"))
  }

  @Test("The last root type counts") func theLastRootCounts() throws {
    let schema = try schema("table A {} table B {} root_type A; root_type B;")
    #expect(schema.files[0].rootTable == 1)
    #expect(schema.tables.map(\.isRoot) == [false, true])
  }

  @Test("An enum without values has the value NONE, and a union without members only nil")
  func enumsAndUnionsMayBeEmpty() throws {
    let schema = try schema(
      """
      enum E : byte {}
      enum F : ubyte (bit_flags) {}
      union U {}
      table T { e: E; f: F = NONE; u: U; v: [U]; }
      """)
    #expect(schema.enums.map { $0.values.map(\.name) } == [["NONE"], ["NONE"]])
    #expect(schema.enums.map { $0.values.map(\.number) } == [[0], [1]])
    #expect(schema.unions[0].members.isEmpty)
    #expect(try schema.table("T").fields.map(\.slot) == [4, 6, 10, 14])
    let swift = SwiftEmitter().files(for: schema, of: ["t.fbs"])[0].text
    #expect(swift.contains("  case NONE = 0\n"))
    #expect(swift.contains("  public static let NONE = F(rawValue: 1)\n"))
    #expect(swift.contains("    \"U\",\n    members: [:])\n"))
  }

  @Test("An enum can have the type of an earlier enum, and bit flags a signed one") func enumsHaveOtherTypes() throws {
    let schema = try schema(
      """
      namespace N;
      enum A : short { a }
      namespace N.M;
      enum B : A { b = -3 }
      enum C : N.A (bit_flags) { c, d = 14 }
      """)
    #expect(schema.enums.map(\.base) == [.short, .short, .short])
    #expect(schema.enums[2].values.map(\.number) == [1, 16_384])
  }

  @Test("Members of one name are told apart by their namespaces") func unionsMayHaveTypesOfOneName() throws {
    let schema = try schema(
      """
      namespace N;
      table A {}
      namespace M;
      table A {}
      union U { N.A, M.A, x.y: A }
      """)
    #expect(schema.unions[0].members.map(\.name) == ["A", "M_A", "x_y"])
    #expect(schema.unions[0].members.map(\.jsonName) == ["N_A", nil, nil])
    #expect(schema.unions[0].members.map(\.declaration.swiftName) == ["a", "mA", "xY"])
  }

  @Test(
    "A member with a namespace leaves its type's own name to one without, in any order",
    arguments: [
      ("N.A, A", ["N_A", "A"], ["nA", "a"]), ("A, N.A", ["A", "N_A"], ["a", "nA"]),
      ("N.A, A: B", ["N_A", "A"], ["nA", "a"]), ("N.A, M.A, A", ["N_A", "M_A", "A"], ["nA", "mA", "a"]),
      ("N.NONE", ["N_NONE"], ["nNone"]),
    ])
  func unionsMayHaveNamesWithAndWithoutNamespaces(
    members: String, names: [String], swiftNames: [String]
  ) throws {
    let schema = try schema(
      """
      table A { x: int; }
      table B {}
      namespace N;
      table A {}
      table NONE {}
      namespace M;
      table A {}
      namespace;
      union U { \(members) }
      table T { u: U; list: [U]; }
      """)
    #expect(schema.unions[0].members.map(\.name) == names)
    #expect(schema.unions[0].members.map { $0.jsonName ?? $0.name } == names)
    #expect(schema.unions[0].members.map(\.declaration.swiftName) == swiftNames)
    #expect(schema.unions[0].members.map(\.kind) == names.indices.map { UInt8($0 + 1) })
    #expect(schema.warnings.isEmpty)
  }

  @Test("Members with and without namespaces are cases with the types of their own")
  func membersOfOneNameAreCases() throws {
    let schema = try schema(
      """
      namespace N;
      table A { x: int (indexed); }
      namespace;
      table A { y: int (indexed); }
      union U { N.A, A }
      table T (indexed: "id, u.A.y; u.N_A.x, id") { id: int (primary); u: U; }
      root_type T;
      """)
    let swift = SwiftEmitter().files(for: schema, of: ["t.fbs"])[0].text
    for line in [
      "  case nA(N.A)\n", "  case a(A)\n", "      1: .table { N.A.flatBufferLayout },\n",
      "      2: .table { A.flatBufferLayout },\n", "    case 1: self = .nA(try member.table())\n",
      "    case 2: self = .a(try member.table())\n", "    case .nA: 1\n", "    case .a: 2\n",
      "    public func `as`(_ type: N.A.Type) -> N.A._Fields<_Root>",
      "    public func `as`(_ type: A.Type) -> A._Fields<_Root>",
    ] {
      #expect(swift.contains(line), "\(line)")
    }
    #expect(schema.tables[2].indexes.map(\.fields) == [["id", "u.A.y"], ["u.N_A.x", "id"]])
  }

  @Test("Types with the names of built-in ones are found by their namespaces")
  func typesMayBeCalledLikeScalars() throws {
    let table = try schema("namespace N; table float {} table T { a: float; b: N.float; }").table("N.T")
    #expect(table.fields.map(\.type) == [.element(.scalar(.float)), .element(.table(0))])
  }

  @Test("Data after the root type is skipped") func dataIsSkipped() throws {
    let schema = try schema(
      """
      table A { x: int; s: string; a: [A]; }
      root_type A;
      { "x": -3, s: 'table B {}', a: [{}, { x: 1e3, },] }
      """)
    #expect(schema.tables.map(\.name.name) == ["A"])
  }

  @Test("Primary keys can have any scalar type, and be strings or enums") func keysMayHaveAnyScalarType() {
    let types = ScalarType.allCases.map(\.rawValue) + ["string", "E"]
    let fields = types.enumerated().map { "f\($0.offset): \($0.element) (primary);" }.joined()
    #expect(errors("enum E : byte { a } table T { \(fields) } root_type T;") == [])
    #expect(errors("enum E : byte { a } table T { \(fields) }") == [])
  }

  @Test("RPC services are checked, and aren't part of the schema") func servicesAreReadAndDropped() throws {
    let types = "table A {}\ntable B {}\n"
    let with = try schema(types + "rpc_service S { get(A): B; put(B): A (streaming: \"bidi\", idempotent); }")
    let without = try schema(types)
    func emitted(_ schema: Schema) -> [String] { SwiftEmitter().files(for: schema, of: ["t.fbs"]).map(\.text) }
    #expect(with.tables.map(\.name.description) == ["A", "B"])
    #expect(with.structs.isEmpty && with.enums.isEmpty && with.unions.isEmpty)
    #expect(emitted(with) == emitted(without))
    let wrong = errors(types + "rpc_service S { get(A): C; }")
    #expect(wrong.count == 1 && wrong[0].contains("'C'"), "\(wrong)")
  }
}

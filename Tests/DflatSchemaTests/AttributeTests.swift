import DflatSchema
import Testing

@Suite struct AttributeTests {
  @Test("Dflat's own attributes need no declaration, but may have one") func oursNeedNoDeclarationAndMayHaveOne() {
    let text = """
      table T (v: "1") { a: int (primary); b: string (indexed); c: U (unique); d: U (indexed); e: E (unique, indexed); f: string (searchable, indexed); }
      union U { O }
      table O { x: int (primary); s: S; }
      struct S { x: int (indexed); y: E (unique); }
      enum E : byte { a }
      root_type T;
      """
    #expect(errors(text) == [])
    #expect(
      errors(
        "attribute \"primary\"; attribute indexed; attribute \"unique\"; attribute \"v\"; attribute \"v\";\n" + text)
        == [])
  }

  @Test("Attributes for other languages don't change the generated code")
  func thoseOfOtherLanguagesMeanNothing() throws {
    let text = """
      native_include "x.h";
      table T (native_type: "X", native_custom_alloc: "Y", private, csharp_partial) {
        a: string (cpp_type: "X", cpp_ptr_type: "naked", cpp_str_type: "Z", cpp_str_flex_ctor);
        b: S (native_inline);
        c: [ubyte] (flexbuffer);
        d: string (native_default: "\\"x\\"");
        e: uint (hash: "fnv1a_32");
        f: [ulong] (hash: "fnv1_64");
      }
      struct S (native_type: "X") { x: ushort (hash: "fnv1_16", cpp_type: "X"); }
      """
    func emitted(_ text: String) throws -> [String] {
      try SwiftEmitter().files(for: schema(text), of: ["t.fbs"]).map(\.text)
    }
    let bare = text.replacing(#/ \([^)]*\)/#, with: "")
    #expect(bare.contains("e: uint;") && !bare.contains("("))
    #expect(try emitted(text) == emitted(bare))
  }

  @Test("The schema keeps the values of declared attributes") func declaredOnesAreKept() throws {
    let schema = try schema(
      """
      attribute "priority";
      attribute note;
      table T (note: "big") { x: int (priority: 3, note); y: int (priority: true, note: 1.5); }
      enum E : byte (note) { a (priority: -1), b }
      """)
    #expect(schema.tables[0].declaration.attributes == ["note": .string("big")])
    #expect(schema.tables[0].fields[0].declaration.attributes == ["priority": .integer(3), "note": .none])
    #expect(schema.tables[0].fields[1].declaration.attributes == ["priority": .integer(1), "note": .string("1.5")])
    #expect(schema.enums[0].values[0].declaration.attributes == ["priority": .integer(-1)])
  }

  @Test("An attribute's declaration also holds in files that include it")
  func declarationsHoldForFilesThatInclude() throws {
    let source = MemorySource([
      "a.fbs": "include \"b.fbs\"; table A { x: int (note); }", "b.fbs": "attribute \"note\";",
    ])
    #expect(try SchemaCompiler(source: source).compile("a.fbs").tables.count == 1)
  }

  @Test("Attributes that don't apply have no effect, and are kept") func misplacedOnesHaveNoEffect() throws {
    let schema = try schema(
      """
      struct S (original_order) { x: int (id: 5, required, shared); }
      table T (bit_flags, id: 3) { x: int (force_align: 8, bit_flags); y: string (required, deprecated); }
      """)
    #expect(try schema.structure("S").size == 4)
    #expect(try schema.structure("S").fields[0].declaration.attributes["id"] == .integer(5))
    let table = try schema.table("T")
    #expect(table.fields.map(\.forcedAlignment) == [nil, nil])
    #expect(table.fields.map(\.isRequired) == [false, false])
    #expect(table.declaration.attributes["id"] == .integer(3))
    #expect(schema.warnings.count == 9)
  }

  @Test("The numbers of attributes can be in quotes, and vectors can have an alignment of up to 256")
  func numbersMayBeInQuotes() throws {
    let schema = try schema(
      """
      struct S (force_align: '16') { x: int; }
      table T { a: [int] (id: "1", force_align: "256"); b: int (id: ' 0 '); }
      """)
    #expect(try schema.structure("S").alignment == 16)
    #expect(try schema.table("T").fields.map(\.slot) == [6, 4])
    #expect(try schema.table("T").fields[0].forcedAlignment == 256)
    #expect(schema.warnings.isEmpty)
  }

  @Test("An enum can have a hash, and a nested buffer a struct") func enumsMayBeHashed() throws {
    let text = """
      enum E : uint { a }
      struct S { x: E (hash: "fnv1_32"); }
      table T { x: E (hash: "fnv1a_32"); y: [E] (hash: "fnv1_32"); z: [ubyte] (nested_flatbuffer: "S"); }
      """
    #expect(errors(text) == [])
    #expect(try schema(text).table("T").fields.map(\.nestedTable) == [nil, nil, nil])
    #expect(errors(text.replacing("uint", with: "ubyte")).count == 3)
  }

  @Test("Built-in attributes set the properties of tables and fields") func fieldsTakeOverWhatTheySay() throws {
    let table = try schema(
      """
      table T (original_order) {
        a: string (shared); b: string (required); c: int (deprecated); d: [ubyte] (nested_flatbuffer: "N.O");
        e: [float] (force_align: 16); f: int (unique); g: string (indexed); h: int (deprecated: "since 2"); i: int;
        j: int ();
      }
      namespace N;
      table O {}
      """
    ).table("T")
    #expect(table.keepsOriginalOrder)
    #expect(table.fields.map(\.isShared) == [true] + Array(repeating: false, count: 9))
    #expect(table.fields.filter(\.isRequired).map(\.name) == ["b"])
    #expect(table.fields.filter(\.isDeprecated).map(\.name) == ["c", "h"])
    #expect(table.fields.map(\.nestedTable)[3] == 1)
    #expect(table.fields.map(\.forcedAlignment)[4] == 16)
    #expect(table.fields.filter(\.isIndexed).map(\.name) == ["f", "g"])
    #expect(table.fields.filter(\.isUnique).map(\.name) == ["f"])
  }
}

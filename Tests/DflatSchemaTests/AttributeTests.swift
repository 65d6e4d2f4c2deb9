import DflatSchema
import Testing

@Suite struct AttributeTests {
  @Test("Dflat's own attributes need no declaration, but may have one") func oursNeedNoDeclarationAndMayHaveOne() {
    let text = """
      table T (v: "1") { a: int (primary); b: string (indexed); c: U (unique); d: U (indexed); e: E (unique, indexed); }
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

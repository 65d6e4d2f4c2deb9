import DflatSchema
import Foundation
import Testing

/// The canonical text of a schema, which files store.
@Suite struct SchemaTextTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the schemas of the tests, with their names.
  static func schemas() throws -> [(name: String, schema: Schema)] {
    var schemas: [(name: String, schema: Schema)] = []
    for folder in ["GoldenModels/Schemas", "InteropTests/Schemas", "DflatSchemaTests/Fixtures/Print"] {
      let url = tests.appendingPathComponent(folder)
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".fbs") }
      try #require(!names.isEmpty)
      for name in names.sorted() {
        let compiler = SchemaCompiler(source: FileSystemSource())
        let schema = try compiler.compile(url.appendingPathComponent(name).path, includePaths: [url.path])
        schemas.append(("\(folder)/\(name)", schema))
      }
    }
    for file in try Fixtures.files(in: "Evolution") {
      for evolution in EvolutionCase.parse(file.text) {
        for text in [evolution.old, evolution.new] { schemas.append((evolution.title, try schema(text))) }
      }
    }
    return schemas
  }

  private func root(of schema: Schema) throws -> Int { try #require(schema.files.last?.rootTable) }

  private func text(of schema: Schema) throws -> String {
    try #require(try SchemaText.of(table: root(of: schema), in: schema))
  }

  @Test("The text of a schema has the same text, and no difference to the schema") func roundTrip() throws {
    let schemas = try Self.schemas().filter { $0.schema.files.last?.rootTable != nil }
    try #require(schemas.count >= 30)
    for (name, schema) in schemas {
      let text = try text(of: schema)
      let again = try SchemaText.schema(of: text)
      #expect(try self.text(of: again) == text, "\(name)")
      #expect(SchemaEvolution.problems(from: schema, to: again) == [], "\(name)")
      #expect(SchemaEvolution.problems(from: again, to: schema) == [], "\(name)")
      let (old, new) = try (schema.tables[root(of: schema)], again.tables[root(of: again)])
      #expect(old.entityTable == new.entityTable, "\(name)")
      #expect(old.fields.map(\.slot) == new.fields.map(\.slot), "\(name)")
      #expect(old.fields.map(\.isIndexed) == new.fields.map(\.isIndexed), "\(name)")
      #expect(old.fields.map(\.isUnique) == new.fields.map(\.isUnique), "\(name)")
      #expect(old.fields.map(\.isPrimary) == new.fields.map(\.isPrimary), "\(name)")
      #expect(old.indexes == new.indexes, "\(name)")
    }
  }

  @Test("The text contains everything that has a meaning for stored objects") func everyPart() throws {
    let source = """
      attribute "hint";
      namespace Shop.Goods;
      /// A color.
      enum Color : ubyte { Red = 3, Green }
      enum Flags : ushort (bit_flags) { A, B = 4 }
      struct Point (force_align: 16) { x: float (indexed); old: [short:3] (deprecated); color: Color; }
      table Unused { x: int; }
      namespace Shop;
      table Text (v: "2") { text: string (required, shared); }
      union Content { Text, Name: string, Place: Goods.Point = 9 }
      table Item (v: "1.1", original_order) {
        number: ulong = 0xFFFFFFFFFFFFFFFF (id: 1, primary);
        name: string = "a \\"\\\\\\n\\u00e9" (id: 0, unique, hint: "x");
        color: Goods.Color = Green (id: 2, indexed);
        flags: Goods.Flags = "A B" (id: 3);
        content: Content (id: 5);
        contents: [Content] (id: 7);
        ratio: float = 0.1 (id: 8);
        low: double = -inf (id: 9);
        none: double = nan (id: 10);
        maybe: bool = null (id: 11);
        yes: bool = true (id: 12, deprecated);
        zero: int = 0 (id: 13);
        inner: [ubyte] (id: 14, nested_flatbuffer: "Item", force_align: 8);
        key: string (id: 15, key);
        table: [Text] (id: 16, required);
      }
      root_type Item;
      file_identifier "ITEM";
      """
    let expected = """
      namespace Shop;
      union Content {
        Text: Text = 1,
        Name: string = 2,
        Place: Shop.Goods.Point = 9
      }
      table Item (v: "1.1", original_order) {
        number: ulong = 18446744073709551615 (id: 1, primary);
        name: string = "a \\"\\\\\\u000aé" (id: 0, unique);
        color: Shop.Goods.Color = 4 (id: 2, indexed);
        flags: Shop.Goods.Flags = 17 (id: 3);
        content: Content (id: 5);
        contents: [Content] (id: 7);
        ratio: float = 0.1 (id: 8);
        low: double = -inf (id: 9);
        none: double = nan (id: 10);
        maybe: bool = null (id: 11);
        yes: bool = true (id: 12, deprecated);
        zero: int (id: 13);
        inner: [ubyte] (id: 14, nested_flatbuffer: "Item", force_align: 8);
        key: string (id: 15, key);
        table: [Text] (id: 16, required);
      }
      table Text (v: "2") {
        text: string (id: 0, required, shared);
      }
      namespace Shop.Goods;
      enum Color : ubyte {
        Red = 3,
        Green = 4
      }
      enum Flags : ushort (bit_flags) {
        A = 0,
        B = 4
      }
      struct Point (force_align: 16) {
        x: float (indexed);
        old: [short:3] (deprecated);
        color: Color;
      }
      file_identifier "ITEM";
      root_type Shop.Item;
      """
    let compiled = try schema(source)
    let text = try text(of: compiled)
    #expect(text == expected)
    let again = try SchemaText.schema(of: text)
    #expect(try self.text(of: again) == text)
    // NaN doesn't equal itself. The text leaves out a default of zero, which is that of a field without one.
    let defaults = try compiled.tables[root(of: compiled)].fields.map { field in
      field.defaultValue == .integer(0) ? "none" : "\(field.defaultValue)"
    }
    let found = try again.tables[root(of: again)].fields.map { "\($0.defaultValue)" }
    #expect(found == defaults)
  }

  @Test("The text has a root's indexes over several fields, by the names in the schema") func indexes() throws {
    let compiled = try schema(
      """
      table Place { label: string; }
      struct Position { latitude: double (swift_name: "north"); longitude: double; }
      union Subject { Place, Elsewhere: Place }
      table Post (
        original_order, indexed: "firstAuthor,created_at ;position.north , subject._type", v: "1",
        unique: "id, subject.Elsewhere.label"
      ) {
        id: int (primary); first_author: string; created_at: long; position: Position; subject: Subject;
      }
      root_type Post;
      """)
    let table = try compiled.tables[root(of: compiled)]
    #expect(table.indexes.map(\.isUnique) == [true, false, false])
    #expect(
      table.indexes.map(\.fields) == [
        ["id", "subject.Elsewhere.label"], ["first_author", "created_at"], ["position.latitude", "subject"],
      ])
    let text = try text(of: compiled)
    let line =
      #"table Post (v: "1", original_order, unique: "id, subject.Elsewhere.label", "#
      + #"indexed: "first_author, created_at; position.latitude, subject") {"#
    #expect(text.split(separator: "\n").contains(Substring(line)), "\(text)")
    let again = try SchemaText.schema(of: text)
    #expect(try self.text(of: again) == text)
    #expect(try again.tables[root(of: again)].indexes == table.indexes)
    // A table is no root in the text of another one, where it can have no indexes.
    let files = [
      "a.fbs": #"table Post (indexed: "id, x") { id: int (primary); x: int; } root_type Post;"#,
      "b.fbs": #"include "a.fbs"; table Board { id: int (primary); post: Post; } root_type Board;"#,
    ]
    let other = try SchemaCompiler(source: MemorySource(files)).compile("b.fbs")
    #expect(try !self.text(of: other).contains("indexed"))
    _ = try SchemaText.schema(of: self.text(of: other))
  }

  @Test("The text of a type called like a built-in one has its full name") func builtInNames() throws {
    let compiled = try schema(
      """
      namespace N;
      table string { x: int; }
      enum int : byte { A }
      union U { N.string, text: string }
      table A { id: int (primary); s: N.string; i: N.int; t: string; u: U; }
      root_type A;
      """)
    let text = try text(of: compiled)
    for line in [
      "  id: int (id: 0, primary);", "  s: N.string (id: 1);", "  i: N.int (id: 2);", "  t: string (id: 3);",
      "  string: N.string = 1,", "  text: string = 2",
    ] {
      #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)")
    }
    let again = try SchemaText.schema(of: text)
    #expect(try self.text(of: again) == text)
    #expect(SchemaEvolution.problems(from: compiled, to: again) == [])
  }

  @Test("A type that only swift_name tells from generated types has a text") func namesInSwift() throws {
    let compiled = try schema(
      """
      table PostBuilder (swift_name: "Tool") { x: int; }
      table Post { id: int (primary); builder: PostBuilder; }
      root_type Post;
      """)
    let text = try text(of: compiled)
    #expect(!text.contains("swift_name"))
    #expect(try self.text(of: SchemaText.schema(of: text)) == text)
  }

  @Test("The text has the alignment of a struct, even if the schema has it in quotes") func quotedAlignment() throws {
    let compiled = try schema(
      "struct P (force_align: \"16\") { x: int; } table A { id: int (primary); p: P; } root_type A;")
    let text = try text(of: compiled)
    #expect(text.contains("struct P (force_align: 16) {"))
    #expect(SchemaEvolution.problems(from: compiled, to: try SchemaText.schema(of: text)) == [])
  }

  @Test("A name that another type hides makes a text impossible") func hiddenNames() throws {
    let files = [
      "b.fbs": "namespace B; table T { x: int; }",
      "a.fbs": "include \"b.fbs\"; namespace A; table U { x: int; t: B.T (deprecated); }",
      "c.fbs": "namespace A.B; table T { y: int; }",
      "d.fbs": """
      include "a.fbs"; include "c.fbs";
      namespace D; table R { id: int (primary); u: A.U; t: A.B.T; }
      root_type R;
      """,
    ]
    let compiled = try SchemaCompiler(source: MemorySource(files)).compile("d.fbs")
    #expect(try SchemaText.of(table: root(of: compiled), in: compiled) == nil)
  }

  @Test("Texts have a maximum size") func size() throws {
    func source(_ count: Int) -> String {
      "table A { id: int (primary); text: string = \"\(String(repeating: "a", count: count))\"; } root_type A;"
    }
    let smallest = try text(of: schema(source(0))).utf8.count
    let largest = try schema(source(SchemaText.maximumSize - smallest))
    let longest = try text(of: largest)
    #expect(longest.utf8.count == SchemaText.maximumSize)
    #expect(try text(of: SchemaText.schema(of: longest)) == longest)
    let larger = try schema(source(SchemaText.maximumSize - smallest + 1))
    #expect(try SchemaText.of(table: root(of: larger), in: larger) == nil)
    #expect(throws: SchemaErrors.self) { try SchemaText.schema(of: longest + " ") }
  }

  @Test("A text with an error is refused with its diagnostics") func errors() throws {
    let error = #expect(throws: SchemaErrors.self) { try SchemaText.schema(of: "table A { x: Later; }") }
    #expect(error?.diagnostics.count == 1)
    #expect(throws: SchemaErrors.self) { try SchemaText.schema(of: "include \"schema.fbs\"; include \"/etc/hosts\";") }
  }

  @Test("A text with an index of an enum without a valid value is refused", arguments: ["A = 300", "A = "])
  func indexOfEnumWithoutValues(value: String) {
    let text = "enum E : byte { \(value) } table T (indexed: \"k, e\") { k: int (primary); e: E; } root_type T;"
    let error = #expect(throws: SchemaErrors.self) { try SchemaText.schema(of: text) }
    #expect(error?.diagnostics.count == 1)
  }
}

import DflatSchema
import Testing

/// The attribute `swift_name`, and names that would be one in Swift.
@Suite struct SwiftNameTests {
  private func emitted(_ text: String) throws -> String {
    SwiftEmitter().files(for: try schema(text), of: ["t.fbs"])[0].text
  }

  @Test("The attribute names types, fields, values and members in Swift") func theAttributeNamesEverything() throws {
    let schema = try schema(
      """
      enum E : byte (swift_name: "Kind") { a (swift_name: "first"), b }
      struct S (swift_name: "Point") { x: int (swift_name: "left"); }
      union U (swift_name: "Choice") { T (swift_name: "itself"), s: string }
      table T (swift_name: "Value") { e: E (swift_name: "kind"); p: S; u: U; t: [T]; }
      """)
    #expect(schema.enums[0].declaration.swiftName == "Kind")
    #expect(schema.enums[0].values.map(\.declaration.swiftName) == ["first", "b"])
    #expect(schema.structs[0].declaration.swiftName == "Point")
    #expect(schema.structs[0].fields.map(\.declaration.swiftName) == ["left"])
    #expect(schema.unions[0].members.map(\.declaration.swiftName) == ["itself", "s"])
    #expect(schema.tables[0].fields.map(\.declaration.swiftName) == ["kind", "p", "u", "t"])
    let swift = SwiftEmitter().files(for: schema, of: ["t.fbs"])[0].text
    for line in [
      "public enum Kind: Int8,", "  case first = 0\n", "public struct Point:", "  public var left: Int32\n",
      "public indirect enum Choice:", "  case itself(Value)\n", "public struct Value:", "  public var kind: Kind\n",
      "  public var t: [Value]\n", "    self.kind = kind ?? .first\n",
    ] {
      #expect(swift.contains(line), "\(line)")
    }
    // The schema's names stay in layouts, which appear in errors.
    #expect(swift.contains("\"T\",\n") && swift.contains(".enumeration(\"e\", 4, Kind.self)"))
  }

  @Test("The attribute resolves names that would be one in Swift") func theAttributeResolvesClashes() throws {
    let text = """
      table hp_old { foo_bar: int; fooBar: int (swift_name: "other"); }
      table hpOld (swift_name: "Health") { x: int; }
      """
    #expect(try schema(text).warnings.isEmpty)
    #expect(try emitted(text).contains("  public var fooBar: Int32\n  public var other: Int32\n"))
    #expect(try schema(text.replacing(#/ \([^)]*\)/#, with: "")).warnings.count == 2)
  }

  @Test("Without the attribute, the later of two parts keeps its name in the schema")
  func theLaterPartIsRenamed() throws {
    let text = """
      table T { foo_bar: int; fooBar: int; Foo_Bar: int; foo__bar: int (deprecated); }
      enum E : byte { foo_bar, FooBar }
      """
    let names = try schema(text).table("T").fields.prefix(3).map(\.declaration.swiftName)
    #expect(names == ["fooBar", "fooBar_", "Foo_Bar"])
    #expect(try schema(text).enums[0].values.map(\.declaration.swiftName) == ["fooBar", "FooBar"])
    #expect(
      try emitted(text).contains(
        "  public var fooBar: Int32\n  public var fooBar_: Int32\n  public var Foo_Bar: Int32\n"))
  }

  @Test("An entity, its fields in queries and its generated types have the name of the attribute")
  func entitiesAreNamed() throws {
    let swift = try emitted(
      """
      namespace N;
      table row (swift_name: "Reading") { key: int (primary, swift_name: "id"); at: S (swift_name: "place"); }
      struct S { x: int (indexed, swift_name: "left"); }
      root_type row;
      """)
    for line in [
      "public final class Reading: Atom", "public struct ReadingBuilder:", "public final class ReadingChangeRequest:",
      "extension Optional where Wrapped == N.ReadingChangeRequest", "public static let id: FieldExpr<Int32, N.Reading>",
      ".init(\"id\", .init(.scalar(4,", ".init(\"place.left\", .init([.structure(6)],", "\"n__row\",",
    ] {
      #expect(swift.contains(line), "\(line)")
    }
  }

  @Test("A name for Swift is escaped if it is a keyword") func keywordsAreEscaped() throws {
    #expect(try emitted("table T { x: int (swift_name: \"class\"); }").contains("  public var `class`: Int32\n"))
  }

  @Test("Another name in Swift leaves data as it was") func anotherNameIsCompatible() throws {
    let old = try schema("table A { x: int (primary); y: int; } root_type A;")
    let new = try schema(
      "table A (swift_name: \"B\") { x: int (primary, swift_name: \"id\"); y: int (swift_name: \"z\"); } root_type A;")
    #expect(SchemaEvolution.problems(from: old, to: new) == [])
  }
}

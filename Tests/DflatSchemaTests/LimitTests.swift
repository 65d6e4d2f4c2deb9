import DflatSchema
import Testing

/// Deep, long and random schemas: the compiler reports their errors, and neither traps nor runs forever.
@Suite struct LimitTests {
  @Test("Structs nest at most 64 levels deep, in any order of declaration", arguments: [true, false])
  func structsNestSixtyFourDeep(innerFirst: Bool) {
    func chain(_ depth: Int) -> String {
      var structs = (1..<depth).map { "struct S\($0) { s: S\($0 - 1); }" }
      structs.insert("struct S0 { x: int; }", at: 0)
      return (innerFirst ? structs : structs.reversed()).joined(separator: "\n")
    }
    #expect(errors(chain(64)) == [])
    #expect(errors(chain(65)).count == 1)
    #expect(errors(chain(5000)).contains { $0.contains("structs nest deeper than 64; nest fewer") })
  }

  @Test(
    "Thousands of repeated openings are reported as an error",
    arguments: [
      "[", "(", "{", "sin(", "/*", "\"", "table A {", "a:", "enum E : byte {", "{a:", "=", "union U { a: ",
    ])
  func repeatedOpeningsEnd(text: String) {
    #expect(!errors(String(repeating: text, count: 4000)).isEmpty)
    #expect(!errors("table A { x: " + String(repeating: text, count: 4000)).isEmpty)
    #expect(!errors("table A (" + String(repeating: text, count: 4000)).isEmpty)
  }

  @Test("Each of 20,000 errors in one line is reported") func aLongLineTakesNoLonger() {
    let fields = (0..<20_000).map { "é\($0): int;" }.joined(separator: " ")
    #expect(errors("table A { \(fields) }").count >= 20_000)
  }

  @Test("A table may have 32,765 fields and no more") func aTableHasUpTo32765Fields() throws {
    // So many fit into the 65,535 bytes of a table only if each takes few.
    let fields = (0..<32_765).map { "f\($0): S;" }.joined(separator: "\n")
    let table = try schema("struct S { x: byte; } table A { \(fields) }").table("A")
    #expect(table.fields.count == 32_765)
    let tooMany = errors("struct S { x: byte; } table A { \(fields) x: S; }")
    #expect(tooMany.count == 1 && tooMany[0].contains("a table can't have more than 32765 fields"), "\(tooMany)")
  }

  @Test("A table may have fields of 65,535 bytes, by the sizes of their types")
  func aTableHasUpTo65535Bytes() throws {
    func fields(_ count: Int, _ type: String) -> String {
      (0..<count).map { "\(type)\($0): \(type);" }.joined(separator: " ")
    }
    // 65,531 bytes, and 4 for the table itself.
    let full = fields(8000, "long") + fields(300, "int") + fields(100, "short") + fields(131, "bool")
    #expect(errors("table A { \(full) }") == [])
    let tooLarge = errors("table A { \(full) x: bool; }")
    #expect(tooLarge.count == 1 && tooLarge[0].contains("is larger than 65535 bytes"), "\(tooLarge)")
    // In the order of declaration, a bool between numbers of eight bytes may take as many.
    #expect(errors("table A (original_order) { \(full) }").count == 1)
  }

  @Test("A chain of 5,000 references compiles without an error") func chainsOfReferencesAreNoRecursion() {
    let tables = (0..<5000).map { "table T\($0) { next: T\($0 + 1); u: U\($0); } union U\($0) { T\($0) }" }
    #expect(errors(tables.joined(separator: "\n") + "table T5000 {}") == [])
  }

  /// The lookup of each reference tries 64 namespaces. With their full names, it would take hours.
  @Test("References in a namespace of a megabyte take no more time than others", .timeLimit(.minutes(15)))
  func aLongNamespaceTakesNoLonger() {
    let name = String(repeating: "n", count: 16_000)
    let namespace = (0..<64).map { "\(name)\($0)" }.joined(separator: ".")
    let fields = (0..<8000).map { "f\($0): T;" }.joined(separator: " ")
    let tables = (0..<5).map { "table A\($0) { \(fields) }\n" }.joined()
    let text = "\(LockText.first)table T {}\nnamespace \(namespace);\n\(tables)\(LockText.last)"
    #expect(LockText.error(in: Array(text.utf8)) == "")
  }

  /// Truncations and random changes of a schema with every construct. A failure prints its seed.
  @Test("A damaged schema compiles, or its errors have positions", arguments: 0..<8 as Range<UInt64>)
  func damagedSchemasAreReported(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let original = Array(everything.utf8)
    #expect(errors(bytes: original) == [])
    let pieces = [
      "{", "}", "(", ")", "[", "]", ":", ";", ",", "=", ".", "\"", "/", "*", "-", "0", "9", "x", "_", "\n", "///",
      "table ",
      "struct ", "enum ", "union ", "null", "nan", "\u{FEFF}", "é", "\\u",
    ].map { Array($0.utf8) }
    for _ in 0..<100 {
      var bytes = original
      for _ in 0..<random.next(below: 4) + 1 {
        let position = random.next(below: bytes.count)
        switch random.next(below: 5) {
        case 0: bytes.remove(at: position)
        case 1: bytes[position] = UInt8(random.next(below: 256))
        case 2: bytes.insert(contentsOf: pieces[random.next(below: pieces.count)], at: position)
        case 3: bytes.removeSubrange(position..<min(bytes.count, position + random.next(below: 40)))
        default: bytes.removeLast(min(bytes.count - 1, random.next(below: 200)))
        }
      }
      do throws(SchemaErrors) {
        let schema = try SchemaCompiler(source: MemorySource(bytes: ["t.fbs": bytes])).compile("t.fbs")
        #expect(SchemaEvolution.problems(from: schema, to: schema) == [], "seed \(seed)")
        #expect(!SchemaPrinter.json(schema).isEmpty)
      } catch {
        for diagnostic in error.diagnostics {
          #expect(diagnostic.location.line >= 1 && diagnostic.location.column >= 1, "seed \(seed)")
        }
      }
    }
  }

  private let everything = """
    /// Doc.
    namespace My.Game;
    attribute "priority";
    enum Color : byte { Red = 0, Green, Blue = 2 }
    enum Flags : ubyte (bit_flags) { a, b = 3 }
    struct Vec3 (force_align: 8) { x: float; y: [short:3]; c: Color; }
    struct Pair { a: Vec3; b: [Vec3:2]; }
    union Any { Weapon, p: Pair, s: string, other: My.Game.Weapon = 9 }
    table Weapon (v: "1") { name: string (key); damage: short = 0x10; self: Weapon; }
    table Monster (original_order, indexed: "color, pos.c") {
      /// The id.
      id: long (id: 0, primary); pos: Vec3 (id: 1); any: Any (id: 3, indexed); anys: [Any] (id: 5);
      color: Color = Blue (id: 6); flags: Flags = "a b" (id: 7); h: float = -inf (id: 8); o: int = null (id: 9);
      s: string = "x\\u00e9" (id: 10, shared); n: [ubyte] (id: 11, nested_flatbuffer: "Weapon"); d: double = rad(90) (id: 12);
      old: int (id: 13, deprecated, priority: 3); v: [float] = [] (id: 14, force_align: 16); r: [string] (id: 15, required);
    }
    root_type Monster;
    file_identifier "MONS"; file_extension "mon";
    rpc_service Store { get(Weapon): Monster (streaming: "none"); }
    enum Nothing : byte (bit_flags) {} enum Same : Color { a, b }
    union Nobody { } union Twins { My.Game.Weapon, x.y: Weapon }
    table same_name (swift_name: 'SameName', unknown) { a_b: int = "3"; aB: float = '-INF'; n: Nobody; t: [Twins]; }
    table SameNames { later: Later (force_align: 3); }
    namespace My.Other; table Later { x: bool = "true" (deprecated, deprecated); }
    { id: 3, 's': "x", any: { }, v: [+1e3, -inf] }
    """

  /// https://prng.di.unimi.it/splitmix64.c
  private struct SplitMix {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((z ^ (z >> 31)) % UInt64(bound))
    }
  }
}

import DflatBuffers
import Testing

/// The copies that an older program makes of every construct of a newer schema.
@Suite struct CopiedConstructTests {
  @Test("A field of every type is copied") func everyType() throws {
    let newer = """
      enum Color : byte { Red = 1, Green, Blue = 5 }
      enum Flags : ubyte (bit_flags) { A, B, C }
      struct Vec3 { x: float; y: float; z: double; }
      struct Arrays { n: ubyte; ints: [int:3]; colors: [Color:2]; vectors: [Vec3:2]; }
      table Inner { n: int; s: string; }
      table Ordered (original_order) { a: byte; b: long; c: short; d: string; e: double; }
      table Needs { s: string (required); t: Inner (required); v: [ubyte] (required); u: U (required); }
      union U { Inner, Vec3, Text: string }
      table Every {
        id: int; b: bool; i8: byte; u8: ubyte = 3; i16: short; u16: ushort; i32: int = -5; u32: uint; i64: long;
        u64: ulong; f: float; d: double = 1.5; c: Color = Green; fl: Flags; s: string; t: string = "standard"; v: Vec3;
        a: Arrays; inner: Inner; u: U; vb: [bool]; vu8: [ubyte]; vi16: [short]; vi64: [long]; vf: [float]; vc: [Color];
        vs: [string]; vv: [Vec3]; vt: [Inner]; va: [Arrays]; vu: [U]; oi: int = null; oc: Color = null;
        old: string (deprecated); nested: [ubyte] (nested_flatbuffer: "Inner"); aligned: [ubyte] (force_align: 16);
        sh: string (shared); sh2: string (shared); sh3: string (shared); ordered: Ordered; needs: Needs; rec: Every;
      }
      root_type Every;
      file_identifier "EVRY";
      """
    let stored = """
      {"id": 1, "b": true, "i8": -1, "u8": 0, "i16": -300, "u16": 65535, "i32": 0, "u32": 4294967295,
       "i64": -9223372036854775808, "u64": 18446744073709551615, "f": 0.1, "d": 1e300, "c": "Blue", "fl": "A C",
       "s": "h\\u00e9 \\u0001", "t": "", "v": {"x": 1, "y": -2.5, "z": 3},
       "a": {"n": 1, "ints": [1, -2, 3], "colors": ["Red", "Blue"],
             "vectors": [{"x": 1, "y": 2, "z": 3}, {"x": 4, "y": 5, "z": 6}]},
       "inner": {"n": 1, "s": "q"}, "u_type": "Vec3", "u": {"x": 7, "y": 8, "z": 9},
       "vb": [true, false], "vu8": [1, 2, 255], "vi16": [1, -2], "vi64": [1], "vf": ["inf"], "vc": ["Red", 77],
       "vs": ["a", "", "a"], "vv": [{"x": 1, "y": 2, "z": 3}], "vt": [{}, {"n": 2}], "va": [],
       "vu_type": ["Text", "Vec3", "Inner"], "vu": ["t", {"x": 1, "y": 2, "z": 3}, {"s": "i"}], "oi": 0, "oc": "Green",
       "old": "o", "nested": {"n": 7, "s": "deep"}, "aligned": [1, 2, 3], "sh": "shared text",
       "sh2": "shared text", "sh3": "shared text",
       "ordered": {"a": 1, "b": 2, "c": 3, "d": "d", "e": 0.5},
       "needs": {"s": "", "t": {}, "v": [], "u_type": "Text", "u": ""},
       "rec": {"id": 9, "rec": {"vs": ["deep"]}}}
      """
    let versions = try SchemaVersions(
      #"table Every { id: int; } root_type Every; file_identifier "EVRY";"#, newer)
    let expected = stored.replacing(#"{"id": 1,"#, with: #"{"id": 2,"#)
    try versions.expect(#"{"id": 2}"#, over: stored, gives: expected)
    // Equal strings of shared fields are written once.
    let bytes = try versions.merged(versions.older.bytes(#"{"id": 2}"#), over: versions.newer.bytes(stored))
    let expectedBytes = try versions.newer.bytes(expected)
    #expect(bytes.count <= expectedBytes.count + 16)
    // A program that knows all of it, as if the newer schema had one more field, copies its own values.
    let known = try SchemaVersions(
      newer, newer.replacing("rec: Every;", with: "rec: Every; next: int;"))
    let changed = stored.replacing(#""i8": -1"#, with: #""i8": -2"#).replacing(#""old": "o", "#, with: "")
    try known.expect(
      changed, over: stored.replacing(#""id": 1,"#, with: #""id": 1, "next": 5,"#),
      gives: changed.replacing(#""sh":"#, with: #""old": "o", "next": 5, "sh":"#))
  }

  @Test("A deprecated field is kept, whichever program has deprecated it") func deprecated() throws {
    let newer = "table T { a: int; b: string; c: [int] (deprecated); d: int; } root_type T;"
    let versions = try SchemaVersions("table T { a: int; b: string (deprecated); } root_type T;", newer)
    try versions.expect(
      #"{"a": 2}"#, over: #"{"a": 1, "b": "x", "c": [1], "d": 4}"#, gives: #"{"a": 2, "b": "x", "c": [1], "d": 4}"#)
  }

  @Test("A nested buffer is replaced as a whole by a program that knows it") func nested() throws {
    let versions = try SchemaVersions(
      #"table In { a: int; } table T { inner: [ubyte] (nested_flatbuffer: "In"); } root_type T;"#,
      #"table In { a: int; b: int; } table T { inner: [ubyte] (nested_flatbuffer: "In"); c: int; } root_type T;"#)
    try versions.expect(
      #"{"inner": {"a": 2}}"#, over: #"{"inner": {"a": 1, "b": 5}, "c": 3}"#, gives: #"{"inner": {"a": 2}, "c": 3}"#)
  }

  @Test("Renamed types, and types that were not used before, are found by their places") func renamed() throws {
    let versions = try SchemaVersions(
      "namespace A; table Old { a: int; } table T { x: Old; } root_type T;",
      "namespace A; table New { a: int; b: int; } table Late { x: New; } table T { y: New; z: Late; } root_type T;")
    try versions.expect(
      #"{"x": {"a": 2}}"#, over: #"{"y": {"a": 1, "b": 5}, "z": {"x": {"b": 6}}}"#,
      gives: #"{"y": {"a": 2, "b": 5}, "z": {"x": {"b": 6}}}"#)
  }

  @Test("A text is compared by its bytes: another spelling is another element") func spellings() throws {
    let versions = try SchemaVersions(
      "table E { s: string; } table T { e: [E]; } root_type T;",
      "table E { s: string; n: int; } table T { e: [E]; } root_type T;")
    // The escapes are JSON's: é as one scalar and as two, and a text with NUL.
    try versions.expect(
      #"{"e": [{"s": "a"}, {"s": "e\u0301"}, {"s": "a\u0000"}]}"#,
      over: #"{"e": [{"s": "\u00e9", "n": 1}, {"s": "e\u0301", "n": 2}, {"s": "a\u0000", "n": 3}]}"#,
      gives: #"{"e": [{"s": "a"}, {"s": "e\u0301", "n": 2}, {"s": "a\u0000", "n": 3}]}"#)
  }

  @Test("An element with NaN is the same element, and -0 differs from 0") func floatingPoint() throws {
    let versions = try SchemaVersions(
      "table E { d: double = null; } table T { e: [E]; } root_type T;",
      "table E { d: double = null; n: int; } table T { e: [E]; } root_type T;")
    try versions.expect(
      #"{"e": [{"d": 0.0}, {"d": "nan"}]}"#, over: #"{"e": [{"d": "nan", "n": 1}, {"d": -0.0, "n": 2}]}"#,
      gives: #"{"e": [{"d": 0.0}, {"d": "nan", "n": 1}]}"#)
  }

  // MARK: Shared parts

  @Test("Parts that several others refer to stay shared") func shared() throws {
    let versions = try SchemaVersions(
      "table T { a: int; known: [Leaf]; } table Leaf { n: int; } root_type T;",
      """
      table Leaf { n: int; text: string; }
      union Any { Leaf, Text: string }
      table T {
        a: int; known: [Leaf]; leaves: [Leaf]; more: [Leaf]; texts: [string]; any: Any; anys: [Any]; others: [Any];
        names: [string];
      }
      root_type T;
      """)
    let count = 300
    var builder = FlatBufferBuilder()
    let text = builder.create(String(repeating: "t", count: 1_000))
    builder.startTable(slots: 2)
    builder.add(text, at: 6)
    let leaf = builder.endTable()
    let leaves = builder.create(offsets: Array(repeating: leaf, count: count))
    let texts = builder.create(offsets: Array(repeating: text, count: count))
    let kinds = builder.create(vector: (0..<count).map { UInt8($0 % 2 + 1) })
    let anys = builder.create(offsets: (0..<count).map { $0 % 2 == 0 ? leaf : text })
    builder.startTable(slots: 12)
    builder.add(Int32(1), at: 4, default: 0)
    for slot in [6, 8, 10] { builder.add(leaves, at: slot) }
    builder.add(texts, at: 12)
    builder.add(UInt8(1), at: 14, default: 0)
    builder.add(leaf, at: 16)
    for slot in [18, 22] { builder.add(kinds, at: slot) }
    for slot in [20, 24] { builder.add(anys, at: slot) }
    builder.add(texts, at: 26)
    try builder.finish(builder.endTable())
    let stored = builder.withFinishedBytes { Array($0) }
    let elements = Array(repeating: "{}", count: count).joined(separator: ",")
    let merged = try versions.merged(versions.older.bytes(#"{"a": 1, "known": [\#(elements)]}"#), over: stored)
    // The vector that the program knows is written again, with references to the shared table.
    #expect(merged.count <= stored.count + 4 * count + 64)
    #expect(try versions.newer.json(merged) == versions.newer.json(stored))
  }
}

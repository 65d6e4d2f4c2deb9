import DflatBuffers
import Testing

@testable import DflatEntities

/// What an older program keeps of a stored object when it writes the object again.
@Suite("Fields that a program's schema lacks") struct UnknownFieldsTests {
  // MARK: Tables

  private static let olderTree = """
    table Leaf { a: int; }
    table Branch { leaf: Leaf; name: string; }
    union Any { Leaf, Branch }
    table Tree { id: int; branch: Branch; any: Any; leaves: [Leaf]; anys: [Any]; }
    root_type Tree;
    """
  private static let newerTree = """
    struct Spot { x: int; y: int; }
    table Leaf { a: int; b: string; }
    table Branch { leaf: Leaf; name: string; extra: [int]; }
    union Any { Leaf, Branch, Name: string, Spot, Other: Leaf }
    table Tree {
      id: int; branch: Branch; any: Any; leaves: [Leaf]; anys: [Any];
      more: [string]; last: Any; inner: Branch; rest: [Any]; spots: [Spot];
    }
    root_type Tree;
    """
  private let trees: SchemaVersions

  init() throws { trees = try SchemaVersions(Self.olderTree, Self.newerTree) }

  @Test("Fields are kept at any depth: in tables, union members and elements of vectors") func depths() throws {
    try trees.expect(
      """
      {"id": 2, "branch": {"leaf": {"a": 5}, "name": "changed"}, "any_type": "Branch", "any": {"leaf": {}, "name": "v"},
       "leaves": [{"a": 2}, {"a": 3}], "anys_type": ["Leaf", "Branch"], "anys": [{"a": 7}, {"leaf": {"a": 1}}]}
      """,
      over: """
        {"id": 1, "branch": {"leaf": {"a": 1, "b": "x"}, "name": "n", "extra": [1, 2]},
         "any_type": "Branch", "any": {"leaf": {"b": "deep"}, "name": "u"},
         "leaves": [{"a": 1, "b": "one"}, {"a": 2, "b": "two"}],
         "anys_type": ["Branch", "Leaf"], "anys": [{"leaf": {"a": 1, "b": "l"}, "extra": [3]}, {"a": 7, "b": "seven"}],
         "more": ["m", ""], "last_type": "Spot", "last": {"x": 3, "y": 4}, "inner": {"leaf": {"b": "i"}},
         "rest_type": ["Name", "Branch"], "rest": ["r", {"leaf": {"b": "s"}}], "spots": [{"x": 5, "y": 6}]}
        """,
      gives: """
        {"id": 2, "branch": {"leaf": {"a": 5, "b": "x"}, "name": "changed", "extra": [1, 2]},
         "any_type": "Branch", "any": {"leaf": {"b": "deep"}, "name": "v"},
         "leaves": [{"a": 2, "b": "two"}, {"a": 3}],
         "anys_type": ["Leaf", "Branch"], "anys": [{"a": 7, "b": "seven"}, {"leaf": {"a": 1, "b": "l"}, "extra": [3]}],
         "more": ["m", ""], "last_type": "Spot", "last": {"x": 3, "y": 4}, "inner": {"leaf": {"b": "i"}},
         "rest_type": ["Name", "Branch"], "rest": ["r", {"leaf": {"b": "s"}}], "spots": [{"x": 5, "y": 6}]}
        """)
  }

  @Test("What the program removes takes its fields along, and what it adds has none") func removedAndAdded() throws {
    try trees.expect(
      #"{"id": 1, "any_type": "Leaf", "any": {"a": 1}}"#,
      over: """
        {"branch": {"extra": [1]}, "any_type": "Branch", "any": {"extra": [2]}, "leaves": [{"b": "x"}], "more": ["m"]}
        """,
      gives: #"{"id": 1, "any_type": "Leaf", "any": {"a": 1}, "more": ["m"]}"#)
    try trees.expect(
      #"{"branch": {"leaf": {}}, "any_type": "Leaf", "any": {}, "leaves": [{}]}"#, over: #"{"more": ["m"]}"#,
      gives: #"{"branch": {"leaf": {}}, "any_type": "Leaf", "any": {}, "leaves": [{}], "more": ["m"]}"#)
  }

  @Test("An empty object has nothing to keep, and everything is kept over an empty one") func empty() throws {
    try trees.expect(#"{"id": 3, "leaves": [{"a": 1}]}"#, over: "{}", gives: #"{"id": 3, "leaves": [{"a": 1}]}"#)
    try trees.expect("{}", over: #"{"id": 3, "more": ["m"]}"#, gives: #"{"more": ["m"]}"#)
  }

  @Test("An element of a vector keeps its fields where it moves, and loses them where it changes") func elements()
    throws
  {
    let stored = #"{"leaves": [{"a": 1, "b": "p"}, {"a": 1, "b": "q"}, {"a": 2, "b": "r"}, {"b": "s"}]}"#
    let expected: KeyValuePairs = [
      #"{"leaves": [{"a": 1}, {"a": 1}, {"a": 2}, {}]}"#: stored,
      #"{"leaves": [{}, {"a": 2}, {"a": 1}]}"#: #"{"leaves": [{"b": "s"}, {"a": 2, "b": "r"}, {"a": 1, "b": "p"}]}"#,
      #"{"leaves": [{"a": 1}, {"a": 1}, {"a": 5}, {}]}"#:
        #"{"leaves": [{"a": 1, "b": "p"}, {"a": 1, "b": "q"}, {"a": 5}, {"b": "s"}]}"#,
      #"{"leaves": [{"a": 9}, {"a": 1}, {"a": 1}, {"a": 2}, {}]}"#:
        #"{"leaves": [{"a": 9}, {"a": 1, "b": "p"}, {"a": 1, "b": "q"}, {"a": 2, "b": "r"}, {"b": "s"}]}"#,
      "{}": "{}",
    ]
    for (written, expected) in expected { try trees.expect(written, over: stored, gives: expected) }
  }

  private static func books() throws -> SchemaVersions {
    try SchemaVersions(
      """
      table Part { n: int; }
      table Entry { name: string (key); n: int; part: Part; }
      union Any { Entry }
      table Book { entries: [Entry]; anys: [Any]; }
      root_type Book;
      """,
      """
      table Part { n: int; note: string; }
      table Entry { name: string (key); n: int; part: Part; note: string; }
      union Any { Entry, Part }
      table Book { entries: [Entry]; anys: [Any]; }
      root_type Book;
      """)
  }

  @Test("An element with a key keeps its fields where it changes") func keys() throws {
    try Self.books().expect(
      """
      {"entries": [{"name": "a", "n": 1, "part": {"n": 2}}, {"name": "A"}, {"name": "new"}],
       "anys_type": ["Entry", "Entry"], "anys": [{"name": "new"}, {"name": "c", "n": 4}]}
      """,
      over: """
        {"entries": [{"name": "a", "part": {"note": "deep"}, "note": "A"}, {"name": "b", "note": "B"}],
         "anys_type": ["Entry", "Part", "Entry"], "anys": [{"name": "c", "note": "C"}, {"note": "P"}, {"name": "d"}]}
        """,
      gives: """
        {"entries": [{"name": "a", "n": 1, "part": {"n": 2, "note": "deep"}, "note": "A"}, {"name": "A"},
                     {"name": "new"}],
         "anys_type": ["Entry", "Entry", "Part"],
         "anys": [{"name": "new"}, {"name": "c", "n": 4, "note": "C"}, {"note": "P"}]}
        """)
  }

  @Test("Elements with keys keep their fields where others are removed, and where they move and change")
  func keysThatMove() throws {
    let books = try Self.books()
    let stored = book("a1+A", "b2+B", "c3+C")
    let expected: KeyValuePairs = [
      book("b2", "c3"): book("b2+B", "c3+C"), book("b9", "c3"): book("b9+B", "c3+C"), book("c9"): book("c9+C"),
      book("c3", "a1", "b2"): book("c3+C", "a1+A", "b2+B"), book("c9", "b9", "a9"): book("c9+C", "b9+B", "a9+A"),
      book("c9", "d3", "a1"): book("c9+C", "d3", "a1+A"),
    ]
    for (written, expected) in expected { try books.expect(written, over: stored, gives: expected) }
  }

  @Test("Of elements with the same key, those that the program leaves as they are keep their fields, and no others")
  func equalKeys() throws {
    let books = try Self.books()
    // Stored twice.
    let stored = book("a1+A", "a2+B", "b3+C")
    let expected: KeyValuePairs = [
      book("a1", "a2", "b3"): stored, book("a2", "b3"): book("a2+B", "b3+C"), book("a2"): book("a2+B"),
      book("a2", "a1"): book("a2+B", "a1+A"), book("a9", "a2", "b9"): book("a9", "a2+B", "b9+C"),
      book("a9"): book("a9"), book("a2", "a9"): book("a2+B", "a9"),
    ]
    for (written, expected) in expected { try books.expect(written, over: stored, gives: expected) }
    // Written twice.
    try books.expect(book("a9", "a1"), over: book("a1+A"), gives: book("a9", "a1+A"))
    try books.expect(book("a8", "a9"), over: book("a1+A"), gives: book("a8", "a9"))
  }

  @Test("A key that the program doesn't know identifies no element") func unknownKeys() throws {
    let older = """
      enum Color : byte { Red, Green }
      table Entry { color: Color (key); n: int; }
      union Any { Entry }
      table Book { entries: [Entry]; anys: [Any]; }
      root_type Book;
      """
    let newer = older.replacing("Green }", with: "Green, Blue, Black }")
      .replacing("n: int;", with: "n: int; note: string;")
    let versions = try SchemaVersions(older, newer)
    // Unlike a vector of tables with keys, one of unions isn't sorted where JSON is read.
    func anys(_ elements: String...) -> String {
      let kinds = elements.map { _ in #""Entry""# }.joined(separator: ",")
      return #"{"anys_type": [\#(kinds)], "anys": [\#(elements.joined(separator: ","))]}"#
    }
    let blue = #"{"color": "Blue", "n": 1, "note": "B"}"#
    let green = #"{"color": "Green", "n": 2, "note": "G"}"#
    let black = #"{"color": "Black", "n": 3, "note": "K"}"#
    let stored = anys(blue, green, black)
    // An element that the program leaves as it reads it keeps its color.
    try versions.expect(
      anys(#"{"n": 1}"#, #"{"color": "Green", "n": 2}"#, #"{"n": 3}"#), over: stored, gives: stored)
    try versions.expect(
      anys(#"{"n": 3}"#, #"{"color": "Green", "n": 9}"#), over: stored,
      gives: anys(black, #"{"color": "Green", "n": 9, "note": "G"}"#))
    // One that it changes has the color that it has written.
    try versions.expect(anys(#"{"n": 9}"#), over: anys(blue), gives: anys(#"{"n": 9}"#))
    try versions.expect(
      #"{"entries": [{"n": 9}]}"#, over: #"{"entries": [\#(blue)]}"#, gives: #"{"entries": [{"n": 9}]}"#)
    // The program sees the same key twice.
    try versions.expect(
      #"{"entries": [{"color": "Red", "n": 9}]}"#,
      over: #"{"entries": [\#(blue), {"color": "Red", "n": 2, "note": "R"}]}"#,
      gives: #"{"entries": [{"color": "Red", "n": 9}]}"#)
  }

  // MARK: Unions

  @Test("A member that the program doesn't know is kept while the program leaves the union without a value")
  func unknownMember() throws {
    for (type, value) in [("Name", #""text""#), ("Spot", #"{"x": 1, "y": 2}"#), ("Other", #"{"a": 1, "b": "c"}"#)] {
      let stored = #"{"any_type": "\#(type)", "any": \#(value)}"#
      try trees.expect("{}", over: stored, gives: stored)
      try trees.expect(
        #"{"any_type": "Leaf", "any": {"a": 1}}"#, over: stored, gives: #"{"any_type": "Leaf", "any": {"a": 1}}"#)
    }
    // A known member that is gone was removed by the program.
    try trees.expect("{}", over: #"{"any_type": "Leaf", "any": {"b": "x"}}"#, gives: "{}")
  }

  @Test("Members in a vector that the program doesn't know stay behind the elements that they followed")
  func unknownElements() throws {
    func vector(_ elements: String...) -> String {
      let types = elements.map { $0.hasPrefix("n") ? #""Name""# : #""Leaf""# }
      let values = elements.map { element in
        if element.hasPrefix("n") { return #""\#(element)""# }
        let parts = element.split(separator: "+")
        return parts.count == 1 ? #"{"a": \#(parts[0])}"# : #"{"a": \#(parts[0]), "b": "\#(parts[1])"}"#
      }
      return #"{"anys_type": [\#(types.joined(separator: ","))], "anys": [\#(values.joined(separator: ","))]}"#
    }
    let stored = vector("n1", "1+p", "n2", "n3", "2", "n4")
    try trees.expect(vector("1", "2"), over: stored, gives: stored)
    try trees.expect(vector("2", "1"), over: stored, gives: vector("n1", "2", "n4", "1+p", "n2", "n3"))
    try trees.expect(vector("2"), over: stored, gives: vector("n1", "n2", "n3", "2", "n4"))
    try trees.expect(
      vector("0", "1", "2", "5"), over: stored, gives: vector("n1", "0", "1+p", "n2", "n3", "2", "n4", "5"))
    try trees.expect(vector("7"), over: stored, gives: vector("n1", "n2", "n3", "n4", "7"))
    try trees.expect("{}", over: stored, gives: vector("n1", "n2", "n3", "n4"))
    try trees.expect("{}", over: vector("1"), gives: "{}")
  }

  // MARK: Enums and structs

  private static let olderPens = """
    enum Color : byte { Red, Green }
    enum Marks : ubyte (bit_flags) { A, B }
    enum Kind : ulong { First = 1, Last = 18446744073709551615 }
    struct Tip { color: Color; width: short; colors: [Color:2]; }
    struct Pen { id: ubyte; tip: Tip; tips: [Tip:2]; old: int (deprecated); }
    table Box {
      color: Color; maybe: Color = null; other: Color = Green; kind: Kind = First; marks: Marks; colors: [Color];
      pen: Pen; pens: [Pen]; allMarks: [Marks];
    }
    root_type Box;
    """
  private static let newerPens = olderPens.replacing("Red, Green", with: "Red, Green, Blue = 7")
    .replacing("A, B", with: "A, B, C").replacing("First = 1", with: "First = 1, Next = 2")
    .replacing(" (deprecated)", with: "")

  private static func tip(_ color: String, _ width: Int = 0, _ colors: String = #""Red", "Red""#) -> String {
    #"{"color": "\#(color)", "width": \#(width), "colors": [\#(colors)]}"#
  }

  private static func pen(_ id: Int, _ tip: String, _ tips: String, _ other: String, old: Int) -> String {
    #"{"id": \#(id), "tip": \#(tip), "tips": [\#(tips), \#(other)], "old": \#(old)}"#
  }

  @Test("Numbers of enums that the program doesn't know are kept where it leaves the default") func numbers() throws {
    let pens = try SchemaVersions(Self.olderPens, Self.newerPens)
    let stored = """
      {"color": "Blue", "maybe": "Blue", "other": "Blue", "kind": "Next", "marks": "A C",
       "colors": ["Red", "Blue", "Green"]}
      """
    // As the program reads it.
    let seen = #"{"marks": 5, "colors": ["Red", "Red", "Green"]}"#
    try pens.expect(seen, over: stored, gives: stored)
    try pens.expect(
      """
      {"color": "Green", "maybe": "Red", "other": "Red", "kind": "Last", "colors": ["Green", "Red", "Red", "Green"]}
      """, over: stored,
      gives: """
        {"color": "Green", "maybe": "Red", "other": "Red", "kind": "Last", "colors": ["Green", "Red", "Blue", "Green"]}
        """)
    // Known numbers aren't kept.
    try pens.expect("{}", over: #"{"color": "Green", "maybe": "Red", "other": "Red", "kind": "Last"}"#, gives: "{}")
    try pens.expect("{}", over: #"{"colors": ["Blue"]}"#, gives: "{}")
  }

  @Test("Structs keep numbers and deprecated fields at any depth") func structs() throws {
    let pens = try SchemaVersions(Self.olderPens, Self.newerPens)
    let blue = Self.tip("Blue", 1, #""Blue", "Green""#)
    let stored = Self.pen(1, blue, Self.tip("Red", 2), blue, old: 9)
    let seen = Self.tip("Red", 1, #""Red", "Green""#)
    let written = Self.pen(2, seen, Self.tip("Green", 3), Self.tip("Red", 4, #""Red", "Red""#), old: 0)
    let merged = Self.pen(2, blue, Self.tip("Green", 3), Self.tip("Blue", 4, #""Blue", "Red""#), old: 9)
    try pens.expect(
      #"{"pen": \#(written)}"#, over: #"{"pen": \#(stored)}"#, gives: #"{"pen": \#(merged)}"#)
    try pens.expect("{}", over: #"{"pen": \#(stored)}"#, gives: "{}")
    // In a vector, elements are kept as a whole.
    let unchanged = Self.pen(1, seen, Self.tip("Red", 2), seen, old: 0)
    let other = Self.pen(7, Self.tip("Red"), Self.tip("Red"), Self.tip("Red"), old: 0)
    try pens.expect(
      #"{"pens": [\#(other), \#(unchanged)]}"#, over: #"{"pens": [\#(stored)]}"#,
      gives: #"{"pens": [\#(other), \#(stored)]}"#)
  }

  // MARK: Every construct

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

  // MARK: Limits and damage

  @Test("A merge that exceeds the limits is refused, and the last encoded object stays as it was") func tooLarge()
    throws
  {
    let newer = ItemText.text(
      fields: ItemText.firstFields + ["blobs: [Blob]"], end: "table Blob { bytes: [ubyte]; }")
    guard case .newer(let found) = SchemaVerdict(ofObjects: newer, to: ItemText.first) else { throw Refusal() }
    let fields = try #require(found as? UnknownFields)
    // Nearly all of the memory that the verifier allows for: 128 MiB.
    var builder = FlatBufferBuilder()
    let bytes = builder.create(vector: [UInt8](repeating: 7, count: 1 << 20))
    builder.startTable(slots: 1)
    builder.add(bytes, at: 4)
    let blob = builder.endTable()
    let blobs = builder.create(offsets: Array(repeating: blob, count: 127))
    let key = builder.create("a")
    builder.startTable(slots: 7)
    builder.add(key, at: 4)
    builder.add(blobs, at: 16)
    try builder.finish(builder.endTable())
    let stored = builder.withFinishedBytes { Array($0) }

    func keep(_ item: Item<FirstProgram>, in state: EncodingState) throws {
      try state.encode(item)
      try stored.withUnsafeBytes { try state.keep(fields, of: fields.verified($0)) }
    }
    let state = EncodingState()
    let large = Item<FirstProgram>("a") { $0.old = String(repeating: "o", count: 2 << 20) }
    let error = #expect(throws: FlatBufferError.self) { try keep(large, in: state) }
    #expect(error?.code == .tooMuchMemory)
    let encoded = try large.encoded()
    #expect(state.hasEncoded(encoded))
    // The next one fits.
    try keep(Item<FirstProgram>("a") { $0.old = "o" }, in: state)
    let size = try state.withEncoded { $0.count }
    #expect(size > 1 << 20 && size < 2 << 20)
    try state.withEncoded { _ = try fields.verified($0) }
  }

  @Test("Tables are kept as deep as they may be nested") func depth() throws {
    let versions = try SchemaVersions(
      "table Node { a: int; next: Node; } root_type Node;",
      "table Node { a: int; next: Node; b: int; other: Node; } root_type Node;")
    func chain(_ depth: Int, _ field: String, _ content: String) -> String {
      depth == 1 ? "{\(content)}" : "{\(content), \"\(field)\": \(chain(depth - 1, field, content))}"
    }
    let limit = FlatBufferLimits().maximumDepth
    try versions.expect(
      chain(limit, "next", #""a": 2"#), over: chain(limit, "next", #""a": 1, "b": 3"#),
      gives: chain(limit, "next", #""a": 2, "b": 3"#))
    try versions.expect(
      #"{"a": 2}"#, over: chain(limit, "other", #""b": 3"#),
      gives: #"{"a": 2, "b": 3, "other": "# + chain(limit - 1, "other", #""b": 3"#) + "}")
  }

  @Test("Damaged bytes are refused or copied, and what is written can be read") func damage() throws {
    let stored = try trees.newer.bytes(
      """
      {"id": 1, "branch": {"leaf": {"a": 1, "b": "x"}, "name": "n", "extra": [1, 2]},
       "any_type": "Spot", "any": {"x": 1, "y": 2}, "leaves": [{"a": 1, "b": "one"}],
       "anys_type": ["Name", "Leaf"], "anys": ["n", {"a": 7, "b": "seven"}], "more": ["m"], "inner": {"leaf": {}}}
      """)
    let written = try trees.older.bytes(
      #"{"id": 2, "branch": {"name": "m"}, "leaves": [{"a": 1}], "anys_type": ["Leaf"], "anys": [{"a": 7}]}"#)
    var refused = 0
    for index in stored.indices {
      for bit in 0..<8 {
        var damaged = stored
        damaged[index] ^= 1 << UInt8(bit)
        do {
          let bytes = try trees.merged(written, over: damaged)
          _ = try bytes.withUnsafeBytes { try trees.fields.verified($0) }
        } catch is FlatBufferError { refused += 1 }
      }
    }
    #expect(refused > 0)
    // The object that is written first stands at the end, up to some padding.
    for count in 0..<stored.count - 16 {
      #expect(throws: FlatBufferError.self) { try trees.merged(written, over: Array(stored[..<count])) }
    }
  }
}

/// Returns an object with entries, from their names, numbers and notes: `a1` and `a1+note`. Both vectors have them.
private func book(_ entries: String...) -> String {
  let elements = entries.map { entry in
    let parts = entry.split(separator: "+")
    let note = parts.count == 2 ? #", "note": "\#(parts[1])""# : ""
    return #"{"name": "\#(parts[0].prefix(1))", "n": \#(parts[0].dropFirst())\#(note)}"#
  }
  let kinds = entries.map { _ in #""Entry""# }.joined(separator: ",")
  let list = elements.joined(separator: ",")
  return #"{"entries": [\#(list)], "anys_type": [\#(kinds)], "anys": [\#(list)]}"#
}

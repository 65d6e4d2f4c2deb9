import Testing

/// Schemas and values for the tests of FlatBuffers.
enum FlatBuffersFixtures {
  /// A schema with everything that flatc prints as JSON.
  static let rich = """
    namespace A.B;
    attribute "primary";
    attribute "v";
    enum Color : byte { Red = 1, Green, Blue = 5 }
    enum Flags : ubyte (bit_flags) { A, B, C }
    enum Wide : ulong (bit_flags) { Low, High = 63 }
    struct Vec3 { x:float; y:float; z:double; }
    struct Arrays { n:ubyte; ints:[int:3]; colors:[Color:2]; vectors:[Vec3:2]; }
    table Inner { n:int; s:string; wide:Wide; }
    union U { Inner, Second: Inner, T }
    table Key { id:int (key); name:string; }
    struct Pair { k:ushort (key); v:int; }
    table Named { name:string (key); }
    table Ordered (original_order) { a:byte; b:long; c:short; d:string; e:double; }
    table Ids { late:string (id: 2); early:byte (id: 0); middle:long (id: 1); }
    table T (v: "1.1") {
      b:bool; i8:byte; u8:ubyte = 3; i16:short; u16:ushort; i32:int = -5; u32:uint; i64:long; u64:ulong;
      f:float; d:double = 1.5; c:Color = Green; fl:Flags; w:Wide; s:string; v:Vec3; a:Arrays; inner:Inner; u:U;
      vb:[bool]; vu8:[ubyte]; vi8:[byte]; vi16:[short]; vi64:[long]; vf:[float]; vd:[double]; vc:[Color]; vfl:[Flags];
      vs:[string]; vv:[Vec3]; vt:[Inner]; va:[Arrays];
      ob:bool = null; oi:int = null; of:float = null; oc:Color = null;
      old:int (deprecated);
      nested:[ubyte] (nested_flatbuffer: "Inner");
      aligned:[ubyte] (force_align: 16);
      sh:string (shared); again:string (shared);
      keys:[Key]; pairs:[Pair]; named:[Named];
      rec:T; ordered:Ordered; ids:Ids;
      inff:float = inf; nand:double = nan;
      req:string (required, primary);
    }
    root_type T;
    file_identifier "ABCD";
    """

  static let richValue = """
    {"b": true, "i8": -1, "u8": 3, "i16": -300, "u16": 65535, "i32": -5, "u32": 4294967295,
     "i64": -9223372036854775808, "u64": 18446744073709551615, "f": 0.1, "d": 1e300, "c": "Blue", "fl": "A C",
     "w": "Low High", "s": "h\u{e9} \\"\\u0001\u{1F600}", "v": {"x": 1, "y": -2.5, "z": 3},
     "a": {"n": 1, "ints": [1, -2, 3], "colors": ["Red", "Blue"],
           "vectors": [{"x": 1, "y": 2, "z": 3}, {"x": 4, "y": 5, "z": 6}]},
     "inner": {"n": 1, "s": "q", "wide": "High"}, "u_type": "Second", "u": {"n": 9},
     "vb": [true, false], "vu8": [1, 2, 255], "vi8": [-1], "vi16": [1, -2, 3], "vi64": [1, -1],
     "vf": [1.5, "inf", 0.1], "vd": ["nan", "-inf", 0.1], "vc": ["Red", "Green", 77],
     "vfl": ["A", "B C", 0, 128], "vs": ["a", "", "a"], "vv": [{"x": 1, "y": 2, "z": 3}], "vt": [{"n": 0}, {}],
     "va": [], "ob": false, "oi": 0, "of": 0, "oc": "Red", "old": 3, "nested": {"n": 7, "s": "deep", "wide": 1},
     "aligned": [1, 2, 3], "sh": "x", "again": "x",
     "keys": [{"id": 3, "name": "c"}, {"id": -1}, {"id": 0, "name": "o"}],
     "pairs": [{"k": 3, "v": 1}, {"k": 1, "v": 2}], "named": [{"name": "b"}, {"name": "a"}, {"name": "B"}],
     "rec": {"c": "Red", "u_type": "T", "u": {"i16": 7, "req": "r"}, "req": ""},
     "ordered": {"a": 1, "b": 2, "c": 3, "d": "d", "e": 0.5}, "ids": {"late": "l", "early": 1, "middle": 2},
     "inff": "nan", "nand": "inf", "req": "here"}
    """

  /// A schema with unions that flatc writes but does not print.
  static let unions = """
    attribute "primary";
    struct Point { x:int; y:int; }
    table Text { text:string; }
    union Shape { Point, Name: string, Text, Other: Text }
    table Drawing { one:Shape; many:[Shape]; last:Shape; id:int (primary); }
    root_type Drawing;
    """

  static let unionsValue = """
    {"one_type": "Point", "one": {"x": 1, "y": -1},
     "many_type": ["Point", "Name", "Text", "Other"], "many": [{"x": 1, "y": 2}, "n", {"text": "t"}, {}],
     "last_type": "Name", "last": "end"}
    """

  /// A schema whose root has no primary key, with constructs that flatc accepts besides.
  static let plain = """
    enum Nothing : byte {}
    union Empty {}
    table Leaf { n:int = "7"; nothing:Nothing; empty:Empty; }
    table Tree { leaf:Leaf; leaves:[Leaf]; on:bool = 'true'; tree:Tree; }
    root_type Tree;
    file_identifier 'TREE';
    """

  static let plainValue = """
    {"leaf": {"n": 3}, "leaves": [{}, {"n": 7}], "on": false, "tree": {"leaf": {}}}
    """

  /// A small schema that includes another.
  static let post = """
    include "priority.fbs";
    namespace Blog;
    attribute "primary";
    attribute "v";
    table Author { name:string; }
    table Post (v: "2.0") {
      title:string (primary);
      priority:Priority = Low;
      stars:ubyte;
      score:float;
      author:Author;
      tags:[string];
      place:Place;
      parts:[Author];
    }
    root_type Post;
    """

  static let priority = """
    namespace Blog;
    enum Priority : byte { Low, High }
    struct Place { x:short; y:short; }
    """
}

/// A value of one of the schemas.
struct FlatBuffersSample: CustomTestStringConvertible {
  let name: String
  let schema: String
  let json: String

  var testDescription: String { name }

  static let all = [
    FlatBuffersSample(name: "rich", schema: "rich.fbs", json: FlatBuffersFixtures.richValue),
    FlatBuffersSample(name: "poor", schema: "rich.fbs", json: #"{"req": ""}"#),
    FlatBuffersSample(name: "unions", schema: "unions.fbs", json: FlatBuffersFixtures.unionsValue),
    FlatBuffersSample(name: "empty", schema: "unions.fbs", json: "{}"),
    FlatBuffersSample(name: "plain", schema: "plain.fbs", json: FlatBuffersFixtures.plainValue),
  ]
}

import Testing

/// Strings and vectors.
@Suite struct TextTests {
  @Test("Dflat, flatc and Python agree on strings") func strings() async throws {
    let comparison = Comparison(Texts.Strings.self, schema: "texts", root: "Texts.Strings")
    let long = String(repeating: "0123456789", count: 10_000)
    try await comparison.check([
      Sample("least", Texts.Strings(needed: ""), #"{ "needed": "" }"#),
      Sample(
        "escapes", Texts.Strings(plain: "\"quoted\" \\ / \u{8}\u{c}\n\r\t\u{1}\u{7f}", needed: "a\u{0}b"),
        #"{ "plain": "\"quoted\" \\ / \b\f\n\r\t\u0001\u007f", "needed": "a\u0000b" }"#),
      Sample(
        "unicode",
        Texts.Strings(
          plain: "Grüße, Κόσμε, мир, 世界, שלום, 👩‍👩‍👧", needed: "e\u{301} is not \u{e9}", other: "\u{10ffff}\u{feff}",
          words: ["", "ä", "\u{1f600}", ""]),
        #"""
        { "plain": "Grüße, Κόσμε, мир, 世界, שלום, 👩‍👩‍👧", "needed": "e\u0301 is not \u00e9", "other": "\udbff\udfff\ufeff",
          "words": ["", "ä", "\ud83d\ude00", ""] }
        """#),
      // Lengths for each of the four paddings.
      Sample(
        "paddings", Texts.Strings(needed: "1", words: ["", "1", "12", "123", "1234", "12345"]),
        #"{ "needed": "1", "words": ["", "1", "12", "123", "1234", "12345"] }"#),
      Sample("long", Texts.Strings(plain: long, needed: long), #"{ "plain": "\#(long)", "needed": "\#(long)" }"#),
    ])
  }

  @Test("Dflat, flatc and Python agree on vectors of each element type") func vectorsOfEveryElement() async throws {
    let comparison = Comparison(Texts.Vectors.self, schema: "texts", root: "Texts.Vectors")
    try await comparison.check([
      Sample("absent", Texts.Vectors(), "{}"),
      Sample(
        "extremes",
        Texts.Vectors(
          flags: [true, false, true], bytes: [.min, 0, .max], octets: [0, .max], shorts: [.min, .max],
          words: [0, .max],
          ints: [.min, .max], counts: [0, .max], longs: [.min, .max], huges: [0, .max], floats: [0.5, -.infinity],
          doubles: [0.1, .infinity, -0.0], moods: [.merry, .cross, .calm],
          points: [Texts.Point(x: 1, y: 2), Texts.Point(x: -1.5, y: 0)],
          lines: [Texts.Line(text: "one"), Texts.Line(), Texts.Line(text: "two", indent: 4)], texts: ["", "x"]),
        """
        { "flags": [true, false, true], "bytes": [-128, 0, 127], "octets": [0, 255], "shorts": [-32768, 32767],
          "words": [0, 65535], "ints": [-2147483648, 2147483647], "counts": [0, 4294967295],
          "longs": [-9223372036854775808, 9223372036854775807], "huges": [0, 18446744073709551615],
          "floats": [0.5, "-inf"], "doubles": [0.1, "inf", -0.0], "moods": ["Merry", "Cross", "Calm"],
          "points": [{ "x": 1, "y": 2 }, { "x": -1.5, "y": 0 }],
          "lines": [{ "text": "one" }, {}, { "text": "two", "indent": 4 }], "texts": ["", "x"] }
        """),
      Sample(
        "large",
        Texts.Vectors(
          octets: (0..<100_000).map { UInt8(truncatingIfNeeded: $0) },
          longs: (0..<10_000).map { Int64($0) * -1_000_003 },
          lines: (0..<1_000).map { Texts.Line(text: "line \($0)", indent: UInt8($0 % 256)) }),
        """
        { "octets": [\((0..<100_000).map { "\($0 % 256)" }.joined(separator: ","))],
          "longs": [\((0..<10_000).map { "\($0 * -1_000_003)" }.joined(separator: ","))],
          "lines": [\((0..<1_000).map { #"{"text": "line \#($0)", "indent": \#($0 % 256)}"# }.joined(separator: ","))] }
        """),
      Sample(
        "empty", Texts.Vectors(), #"{ "flags": [], "longs": [], "points": [], "lines": [], "texts": [] }"#,
        bytes: .formed(
          because: "an absent vector and an empty one are the same value, and flatc keeps the one that it is given")
      ),
    ])
  }

  @Test("Dflat, flatc and Python agree on required fields") func requiredFields() async throws {
    let comparison = Comparison(Texts.Required.self, schema: "texts", root: "Texts.Required")
    try await comparison.check([
      Sample(
        "empty", Texts.Required(octets: [], lines: [], first: Texts.Line(), origin: Texts.Point()),
        #"{ "octets": [], "lines": [], "first": {}, "origin": { "x": 0, "y": 0 } }"#),
      Sample(
        "full",
        Texts.Required(
          octets: [1], lines: [Texts.Line(indent: 1)], first: Texts.Line(text: "1"), origin: Texts.Point(x: 1, y: 1)),
        #"{ "octets": [1], "lines": [{ "indent": 1 }], "first": { "text": "1" }, "origin": { "x": 1, "y": 1 } }"#,
        bytes: .padded),
    ])
  }

  /// Strings that the schema marks as shared are written once, others each time. Tables of the same shape share a
  /// vtable.
  @Test("Dflat, flatc and Python agree on shared strings and vtables") func sharedStringsAndVTables() async throws {
    let comparison = Comparison(Texts.Repeats.self, schema: "texts", root: "Texts.Repeats")
    try await comparison.check([
      Sample(
        "same", Texts.Repeats(first: "twice", second: "twice", own: "twice"),
        #"{ "first": "twice", "second": "twice", "own": "twice" }"#),
      Sample(
        "different", Texts.Repeats(first: "b", second: "a", own: "a"), #"{ "first": "b", "second": "a", "own": "a" }"#),
      Sample(
        "shapes",
        Texts.Repeats(lines: [
          Texts.Line(text: "1", indent: 1), Texts.Line(text: "2"), Texts.Line(text: "3", indent: 3), Texts.Line(),
          Texts.Line(text: "5"), Texts.Line(),
        ]),
        """
        { "lines": [{ "text": "1", "indent": 1 }, { "text": "2" }, { "text": "3", "indent": 3 }, {}, { "text": "5" },
          {}] }
        """),
    ])
  }

  @Test("Dflat, flatc and Python agree on vectors with a forced alignment") func alignedVectors() async throws {
    let comparison = Comparison(Texts.Aligned.self, schema: "texts", root: "Texts.Aligned")
    try await comparison.check(
      (0..<18).map { count in
        Sample(
          "\(count)bytes", Texts.Aligned(mark: 1, blob: [UInt8](repeating: 7, count: count), tail: 2),
          #"{ "mark": 1, \#(count == 0 ? "" : #""blob": [\#([String](repeating: "7", count: count).joined(separator: ","))],"#) "tail": 2 }"#
        )
      })
  }
}

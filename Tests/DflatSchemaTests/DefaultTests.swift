import DflatSchema
import Testing

@Suite struct DefaultTests {
  private func defaults(_ fields: String) throws -> [TableDefinition.DefaultValue] {
    let types = """
      namespace N;
      enum Color : byte { Red, Green, Blue = 5 }
      enum Flags : ubyte (bit_flags) { a, b, c }
      enum Late : byte { one = 1, two }
      namespace;
      """
    return try schema("\(types) table T { \(fields) }").table("T").fields.map(\.defaultValue)
  }

  @Test("The default of a bool is true, false, 1, 0 or null") func boolsAreWordsOrBits() throws {
    #expect(
      try defaults("a: bool = true; b: bool = false; c: bool = 1; d: bool = 0; e: bool = null; f: bool;")
        == [.integer(1), .integer(0), .integer(1), .integer(0), .null, .none])
  }

  @Test("The default of an integer can be an enum value, a bool or null") func integersMayComeFromEnums() throws {
    #expect(
      try defaults("a: int = N.Color.Blue; b: ubyte = N.Flags.c; c: int = true; d: int = null;")
        == [.integer(5), .integer(4), .integer(1), .null])
  }

  @Test("The default of an enum is a name, a number or null") func enumsAreNamedOrNumbered() throws {
    #expect(
      try defaults(
        """
        a: N.Color = Blue; b: N.Color = N.Color.Green; c: N.Color = 5; d: N.Color = "Green"; e: N.Color = null;
        f: N.Color; g: N.Late = one; h: N.Late = null; i: [N.Late];
        """)
        == [.integer(5), .integer(1), .integer(5), .integer(1), .null, .none, .integer(1), .null, .none])
  }

  @Test("The default of flags can name several values") func flagsMayBeSeveral() throws {
    #expect(
      try defaults(
        """
        a: N.Flags = b; b: N.Flags = "a c"; c: N.Flags = 6; d: N.Flags = 0; e: N.Flags; f: N.Flags = null;
        g: N.Flags = 255; h: N.Flags = "Flags.a Flags.b"; i: N.Flags = N.Flags.c;
        """)
        == [
          .integer(2), .integer(5), .integer(6), .integer(0), .none, .null, .integer(255), .integer(3), .integer(4),
        ])
  }

  @Test("Numbers can be in quotes") func numbersMayBeInQuotes() throws {
    #expect(
      try defaults(
        """
        a: int = "5"; b: byte = '-3'; c: ubyte = "0x10"; d: ulong = "18446744073709551615"; e: int = " +5 ";
        f: bool = "true"; g: bool = '1'; h: int = "null"; i: float = "1.5"; j: double = "-inf"; k: double = "0x1p3";
        l: double = "7"; m: N.Color = "5"; n: N.Color = "null"; o: int = "N.Color.Blue"; q: double = rad("0");
        p: ubyte = "N.Flags.a N.Flags.c";
        """)
        == [
          .integer(5), .integer(-3), .integer(16), .integer(18_446_744_073_709_551_615), .integer(5), .integer(1),
          .integer(1), .null, .floating(1.5), .floating(-Double.infinity), .floating(8), .floating(7), .integer(5),
          .null, .integer(5), .floating(0), .integer(5),
        ])
  }

  @Test("Names whose numbers add up to a value are a default, also without flags") func namesMayAddUp() throws {
    let schema = try schema("enum E : byte { a, b, c, d } table T { x: E = \"b c\"; y: E = \"a\"; }")
    #expect(try schema.table("T").fields.map(\.defaultValue) == [.integer(3), .integer(0)])
  }

  @Test("A default of zero is allowed in a struct") func structsMayHaveZeros() {
    let zeros = "enum E : byte { a, b } struct S { v: int = 0; w: bool = false; x: float = 0.0; y: E = a; z: E = E.a; }"
    #expect(errors(zeros) == [])
    #expect(errors(zeros.replacing("y: E = a", with: "y: E = b")).count == 1)
  }

  @Test("A number that is too large for its type is infinite") func hugeNumbersAreInfinite() throws {
    #expect(
      try defaults("a: float = 1e39; b: double = '-1e400';")
        == [.floating(Double.infinity), .floating(-Double.infinity)])
  }

  @Test("Strings and vectors can have defaults") func stringsAndVectors() throws {
    #expect(
      try defaults(
        #"a: string = "x"; b: string = ""; c: string = null; d: string; e: [int] = []; f: string = "" (required);"#)
        == [.string("x"), .string(""), .none, .none, .none, .string("")])
  }

  @Test("Functions in defaults are computed") func functionsAreComputed() throws {
    let values = try defaults(
      "a: double = rad(180); b: double = deg(acos(0)); c: float = sin(0.5); d: double = cos(0); e: double = tan(0); f: double = asin(0); g: double = atan(0);"
    )
    #expect(values[0] == .floating(Double.pi))
    #expect(values[1] == .floating(90))
    #expect(values[2] == .floating(Double(Float(0.479425538604203))))
    #expect(values.dropFirst(3) == [.floating(1), .floating(0), .floating(0), .floating(0)])
  }
}

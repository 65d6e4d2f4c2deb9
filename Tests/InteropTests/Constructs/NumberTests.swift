import Testing

/// Every scalar type at its extremes, enums of every base, bit flags, defaults, optional scalars.
@Suite struct NumberTests {
  @Test("Dflat, flatc and Python agree on scalars of each type") func scalarsOfEveryType() async throws {
    let comparison = Comparison(Numbers.Scalars.self, schema: "numbers", root: "Numbers.Scalars")
    try await comparison.check([
      Sample("empty", Numbers.Scalars(), "{}"),
      Sample(
        "largest",
        Numbers.Scalars(
          flag: true, tiny: .max, octet: .max, small: .max, word: .max, medium: .max, count: .max, large: .max,
          huge: .max, single: .greatestFiniteMagnitude, twice: .greatestFiniteMagnitude,
          sized: Numbers.SizedAliases(
            a: .max, b: .max, c: .max, d: .max, e: .max, f: .max, g: .max, h: .max, i: 0.1, j: 0.1)),
        """
        { "flag": true, "tiny": 127, "octet": 255, "small": 32767, "word": 65535, "medium": 2147483647,
          "count": 4294967295, "large": 9223372036854775807, "huge": 18446744073709551615,
          "single": 3.4028234663852886e38, "twice": 1.7976931348623157e308,
          "sized": { "a": 127, "b": 255, "c": 32767, "d": 65535, "e": 2147483647, "f": 4294967295,
            "g": 9223372036854775807, "h": 18446744073709551615, "i": 0.1, "j": 0.1 } }
        """),
      Sample(
        "smallest",
        Numbers.Scalars(
          tiny: .min, small: .min, medium: .min, large: .min, single: -.leastNonzeroMagnitude,
          twice: -.leastNonzeroMagnitude,
          sized: Numbers.SizedAliases(a: .min, c: .min, e: .min, g: .min, i: -.infinity, j: .infinity)),
        """
        { "tiny": -128, "small": -32768, "medium": -2147483648, "large": -9223372036854775808,
          "single": -1.401298464324817e-45, "twice": -5e-324,
          "sized": { "a": -128, "c": -32768, "e": -2147483648, "g": -9223372036854775808, "i": "-inf", "j": "inf" } }
        """),
      Sample("notANumber", Numbers.Scalars(single: .nan, twice: .nan), #"{ "single": "nan", "twice": "nan" }"#),
      Sample(
        "everyWidth", Numbers.Scalars(flag: true, small: 1, count: 2, large: 3),
        #"{ "flag": true, "small": 1, "count": 2, "large": 3 }"#),
    ])
  }

  @Test("Dflat, flatc and Python agree on defaults of scalars and enums") func defaults() async throws {
    let comparison = Comparison(Numbers.Defaults.self, schema: "numbers", root: "Numbers.Defaults")
    try await comparison.check([
      Sample("absent", Numbers.Defaults(), "{}"),
      Sample(
        "written",
        Numbers.Defaults(
          on: true, negative: -7, hexadecimal: 0xFF00_FF00, largest: .max, smallest: .min, half: 0.5, far: -1.5e300,
          unbounded: .infinity, below: -.infinity, color: .most, access: [.read, .run]),
        """
        { "on": true, "negative": -7, "hexadecimal": 4278255360, "largest": 18446744073709551615,
          "smallest": -9223372036854775808, "half": 0.5, "far": -1.5e300, "unbounded": "inf", "below": "-inf",
          "color": "Most", "access": "Read Run" }
        """),
      Sample(
        "others",
        Numbers.Defaults(
          on: false, negative: 0, hexadecimal: 0, largest: 0, smallest: 0, half: 0, far: 0, unbounded: 0, below: 0,
          color: Numbers.OfUByte.none, access: .write),
        """
        { "on": false, "negative": 0, "hexadecimal": 0, "largest": 0, "smallest": 0, "half": 0.0, "far": 0.0,
          "unbounded": 0.0, "below": 0.0, "color": "None", "access": "Write" }
        """),
    ])
  }

  @Test("Dflat, flatc and Python agree on enums of each base type") func enumsOfEveryBase() async throws {
    let comparison = Comparison(Numbers.Enums.self, schema: "numbers", root: "Numbers.Enums")
    try await comparison.check([
      Sample("none", Numbers.Enums(), "{}"),
      Sample(
        "most",
        Numbers.Enums(
          a: .most, b: .most, c: .most, d: .most, e: .most, f: .most, g: .most, h: .most,
          access: [.read, .write, .run],
          wide: [.first, .last]),
        """
        { "a": "Most", "b": "Most", "c": "Most", "d": "Most", "e": "Most", "f": "Most", "g": "Most", "h": "Most",
          "access": "Read Write Run", "wide": "First Last" }
        """),
      Sample(
        "least", Numbers.Enums(a: .least, c: .least, e: .least, g: .least, wide: .last),
        #"{ "a": "Least", "c": "Least", "e": "Least", "g": "Least", "wide": "Last" }"#),
      // Bits without a name are kept; flatc prints such a sum as a number.
      Sample(
        "unnamedBits", Numbers.Enums(access: Numbers.Access(rawValue: 0x89), wide: Numbers.Wide(rawValue: 6)),
        #"{ "access": 137, "wide": 6 }"#),
    ])
  }

  @Test("Dflat, flatc and Python agree on optional scalars") func optionalScalars() async throws {
    let comparison = Comparison(Numbers.Optionals.self, schema: "numbers", root: "Numbers.Optionals")
    try await comparison.check([
      Sample("absent", Numbers.Optionals(), "{}"),
      Sample(
        "zero",
        Numbers.Optionals(
          flag: false, tiny: 0, octet: 0, small: 0, word: 0, medium: 0, count: 0, large: 0, huge: 0, single: 0,
          twice: 0, choice: Numbers.OfShort.none, access: []),
        """
        { "flag": false, "tiny": 0, "octet": 0, "small": 0, "word": 0, "medium": 0, "count": 0, "large": 0, "huge": 0,
          "single": 0.0, "twice": 0.0, "choice": "None", "access": 0 }
        """),
      Sample(
        "other",
        Numbers.Optionals(flag: true, tiny: -1, word: 1, large: .min, twice: .infinity, choice: .least, access: .run),
        """
        { "flag": true, "tiny": -1, "word": 1, "large": -9223372036854775808, "twice": "inf", "choice": "Least",
          "access": "Run" }
        """),
    ])
  }
}

import DflatSchema
import Testing

@Suite struct LexicalTests {
  @Test("Numbers can be decimal or hexadecimal, with signs, fractions and exponents")
  func numbersHaveManyForms() throws {
    let table = try schema(
      """
      table T {
        a: int = 0x1F; b: int = -0X1f; c: int = +7; d: int = 007; e: ulong = 18446744073709551615;
        f: long = -9223372036854775808; g: byte = -128;
        h: double = 1.5; i: double = .5; j: double = 2.; k: double = -1e3; l: double = 2E-2; m: double = 0x1.8p3;
        n: double = 3; o: float = 0x10; p: double = 0x.8P-1;
      }
      """
    ).table("T")
    let integers: [Int128] = [31, -31, 7, 7, 18_446_744_073_709_551_615, -9_223_372_036_854_775_808, -128]
    for (field, expected) in zip(table.fields, integers) {
      #expect(field.defaultValue == .integer(expected), "\(field.name)")
    }
    let floats = [1.5, 0.5, 2, -1000, 0.02, 12, 3, 16, 0.25]
    for (field, expected) in zip(table.fields.dropFirst(integers.count), floats) {
      #expect(field.defaultValue == .floating(expected), "\(field.name)")
    }
  }

  @Test("Floating-point defaults can be infinite or NaN") func floatsMayBeInfiniteOrNoNumber() throws {
    let table = try schema(
      """
      table T {
        a: float = inf; b: double = -inf; c: float = +infinity; d: float = INFINITY; e: double = nan; f: float = -NaN;
      }
      """
    ).table("T")
    let values = table.fields.map { if case .floating(let value) = $0.defaultValue { value } else { 0.0 } }
    #expect(values.prefix(4) == [.infinity, -.infinity, .infinity, .infinity])
    #expect(values[4].isNaN && values[5].isNaN)
  }

  /// The value is just above the middle of two floats, by a digit that a double can't hold. By way of a double, it
  /// would become 1.
  @Test("Floats are rounded only once") func floatsAreRoundedOnce() throws {
    let table = try schema("table T { x: float = 1.00000005960464477539062500000001; }").table("T")
    #expect(try table.field("x").defaultValue == .floating(Double(Float(1).nextUp)))
  }

  @Test("Strings can contain escapes") func stringsHaveEscapes() throws {
    let table = try schema(
      #"table T { s: string = "a\n\t\r\b\f\"\\\/\x41\u00e9\ud83d\ude00"# + "\u{E9}\t.\"; }"
    ).table("T")
    #expect(try table.field("s").defaultValue == .string("a\n\t\r\u{8}\u{C}\"\\/A\u{E9}\u{1F600}\u{E9}\t."))
  }

  @Test("Comments are ignored") func commentsAreNothing() throws {
    let schema = try schema(
      """
      // one
      /* two
         lines */ table /* in between */ T { // behind
        //// drawn
        x: int; /**/ /* *** */
      }
      """)
    #expect(schema.tables[0].fields.count == 1)
    #expect(schema.tables[0].declaration.documentation == [])
    #expect(schema.tables[0].fields[0].declaration.documentation == [])
  }

  @Test("Documentation belongs to the declaration that follows it") func documentationBelongsToWhatFollows() throws {
    let schema = try schema(
      """
      /// A table.
      ///
      ///   Indented.\r
      table T {
        /// The x.
        x: int;
        y: int;
      }
      /// An enum.
      enum E : byte {
        /// The a.
        a,
        b
      }
      /// A struct.
      struct S {
        ///The z.
        z: int;
      }
      /// A union.
      union U {
        /// The T.
        T
      }
      """)
    #expect(schema.tables[0].declaration.documentation == ["A table.", "", "  Indented."])
    #expect(schema.tables[0].fields.map(\.declaration.documentation) == [["The x."], []])
    #expect(schema.enums[0].declaration.documentation == ["An enum."])
    #expect(schema.enums[0].values.map(\.declaration.documentation) == [["The a."], []])
    #expect(schema.structs[0].declaration.documentation == ["A struct."])
    #expect(schema.structs[0].fields[0].declaration.documentation == ["The z."])
    #expect(schema.unions[0].declaration.documentation == ["A union."])
    #expect(schema.unions[0].members[0].declaration.documentation == ["The T."])
  }

  @Test("A byte order mark is ignored and takes up no column") func aByteOrderMarkIsNothing() throws {
    #expect(try schema("\u{FEFF}table T { x: int; }").tables.count == 1)
    #expect(errors("\u{FEFF}table T { x: in; }")[0].hasPrefix("t.fbs:1:14: "))
  }

  @Test("Lines can end with a carriage return and a line feed") func linesMayEndInCarriageReturns() {
    #expect(errors("table T {\r\n  x: in;\r\n}\r\n")[0].hasPrefix("t.fbs:2:6: "))
  }

  @Test(
    "Text that is not UTF-8 is refused at the position of the first invalid byte",
    arguments: [
      ([0xFF], "1:1"), ([0x61, 0xC3, 0x28], "1:2"), ([0xC0, 0x80], "1:1"), ([0xE0, 0x80, 0x80], "1:1"),
      ([0xED, 0xA0, 0x80], "1:1"), ([0xF4, 0x90, 0x80, 0x80], "1:1"), ([0xF0, 0x80, 0x80, 0x80], "1:1"),
      ([0x0A, 0xE2, 0x82], "2:1"), ([0x2F, 0x2F, 0x80, 0x0A, 0xC3], "2:1"), ([0xF0, 0x9F, 0x98], "1:1"),
      ([0xE2, 0x28, 0xA1], "1:1"), ([0xF5, 0x80, 0x80, 0x80], "1:1"),
    ] as [([UInt8], String)])
  func whatIsNoUTF8IsRefused(bytes: [UInt8], place: String) {
    #expect(errors(bytes: bytes) == ["t.fbs:\(place): error: this is not UTF-8; save the file as UTF-8"])
  }

  @Test(
    "A comment that is not UTF-8 is a warning",
    arguments: [
      ([0x2F, 0x2F, 0xC3, 0xA9, 0x80], "1:4"), ([0x2F, 0x2A, 0x0A, 0xB1, 0xED, 0x2A, 0x2F, 0x20], "2:1"),
      ([0x0A, 0x2F, 0x2F, 0x2F, 0xC3, 0x0A, 0x2F, 0x2F, 0xFF], "2:4"),
    ] as [([UInt8], String)])
  func commentsMayBeInAnotherEncoding(bytes: [UInt8], place: String) throws {
    let schema = try SchemaCompiler(source: MemorySource(bytes: ["t.fbs": bytes])).compile("t.fbs")
    #expect(
      schema.warnings.map(\.description)
        == ["t.fbs:\(place): warning: this comment is not UTF-8; save the file as UTF-8"])
  }

  @Test("Strings can be in single quotes") func stringsMayBeInSingleQuotes() throws {
    let schema = try schema(
      #"attribute 'note'; table T { s: string = 'a"b\'c' ('note': 'd'); t: string = "e'f"; } file_extension 'bin';"#)
    let table = try schema.table("T")
    #expect(table.fields.map(\.defaultValue) == [.string("a\"b'c"), .string("e'f")])
    #expect(table.fields[0].declaration.attributes == ["note": .string("d")])
    #expect(schema.files[0].fileExtension == "bin")
    #expect(errors("include 'a.fbs;")[0].contains("this string does not end on its line; close it with a single quote"))
  }

  @Test("Errors about control characters name the characters") func controlCharactersAreNamed() {
    #expect(errors("table T { x: int; \u{0} }")[0].hasPrefix("t.fbs:1:19: error: U+0 is not allowed here"))
    #expect(
      errors("file_identifier \"M\u{1}NS\";")
        == ["t.fbs:1:19: error: a string can't contain a control character; write it as '\\u0001'"])
  }

  @Test("Columns count characters, also in long lines") func columnsOfLongLinesAreRight() {
    let text = "/* " + String(repeating: "é", count: 5000) + " */ table T { x: Foo; }"
    #expect(errors(text)[0].hasPrefix("t.fbs:1:\(3 + 5000 + 4 + 14): "))
  }

  @Test("A diagnostic is one line even if it quotes a line feed")
  func diagnosticsQuoteOnOneLine() {
    let errors = errors("table T { a: double = nu.\nl; }")
    #expect(errors.count == 1)
    #expect(errors.allSatisfy { !$0.contains("\n") && $0.contains("'nu.\\nl'") })
  }
}

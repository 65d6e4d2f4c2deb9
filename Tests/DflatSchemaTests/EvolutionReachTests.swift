import Testing

/// The reach of `check`: through references, includes and renames, and not into types that start over.
@Suite struct EvolutionReachTests {
  static let lastHint = "append new values after the old ones"

  // MARK: Types that start over

  @Test("An enum starts over with the only table that uses it")
  func anEnumStartsOverWithTheOnlyTableThatUsesIt() throws {
    #expect(
      try evolutionProblems(
        #"enum E : byte { a, b } table A (v: "1") { e: E; }"#, #"enum E : byte { b, a } table A (v: "2") { e: E; }"#)
        == [])
  }

  @Test("An enum that a remaining table uses has to keep its numbers")
  func anEnumOfATableThatStaysIsHeldToItsNumbers() throws {
    #expect(
      try evolutionProblems(
        #"enum E : byte { a, b } table A (v: "1") { e: E; } table B { e: [E]; }"#,
        #"enum E : byte { a, z, b } table A (v: "2") { e: E; } table B { e: [E]; }"#)
        == ["1:23: 'b' is 2 and was 1; keep its number and \(Self.lastHint)"])
  }

  @Test("An enum that no table of the schema uses has to keep its values")
  func anEnumThatNothingHereUsesMayBeUsedElsewhere() throws {
    #expect(
      try evolutionProblems("enum E : byte { a, b }", "enum E : byte { a }")
        == ["1:6: the value 'b' was removed, but existing data may contain its number 1; keep it; you may rename it"])
  }

  @Test("A union starts over with the only table that uses it")
  func aUnionStartsOverWithTheOnlyTableThatUsesIt() throws {
    #expect(
      try evolutionProblems(
        #"table X { a: int; } table Y { b: int; } union U { X, Y } table A (v: "1") { u: U; }"#,
        #"table X { a: int; } table Y { b: int; } union U { Y } table A (v: "2") { u: [U]; }"#) == [])
  }

  @Test("A table inside a table that starts over has to keep its own fields")
  func aTableInATableThatStartsOverIsHeldToItsFields() throws {
    #expect(
      try evolutionProblems(
        #"table B { x: int; } table A (v: "1") { b: B; }"#, #"table B { x: long; } table A (v: "2") { b: B; }"#)
        == ["1:11: 'x' is 'long' and was 'int'; keep the old field as 'deprecated' and append another"])
  }

  @Test("A table can start over together with the table that contains it") func bothStartOver() throws {
    #expect(
      try evolutionProblems(
        #"table B (v: "1") { x: int; } table A (v: "1") { b: B; }"#,
        #"table B (v: "2") { x: long; } table A (v: "2") { b: B; }"#) == [])
  }

  // MARK: References

  @Test("A changed struct is found through an array in another struct") func aStructInAnArrayOfAStruct() throws {
    #expect(
      try evolutionProblems(
        "struct P { x: int; } struct Q { p: [P:2]; } table A { q: [Q]; }",
        "struct P { x: uint; } struct Q { p: [P:2]; } table A { q: [Q]; }") == [
          "1:12: 'x' is 'uint', where 'x' was 'int'; leave the struct as it was, and declare another for new fields"
        ])
  }

  @Test("A renamed table in a union is compared with the old one") func aRenamedTableInAUnionIsFollowed() throws {
    #expect(
      try evolutionProblems(
        "table Sword { x: int; } union U { Sword } table A { u: U; }",
        "table Blade { x: string; } union U { Blade } table A { u: U; }")
        == ["1:15: 'x' is 'string' and was 'int'; keep the old field as 'deprecated' and append another"])
  }

  @Test("Two tables that replace one table are both compared with it")
  func aRenamedTableThatSplitsIsFollowedTwice() throws {
    #expect(
      try evolutionProblems(
        "table P { x: int; } table A { a: P; b: P; }",
        "table Q { x: int; } table R { x: byte; } table A { a: Q; b: R; }")
        == ["1:31: 'x' is 'byte' and was 'int'; keep the old field as 'deprecated' and append another"])
  }

  @Test("A reference to a table that already existed is not taken for a rename")
  func anotherTypeThatWasThereIsNoRename() throws {
    #expect(
      try evolutionProblems(
        "table P { x: int; } table Q { x: int; } table A { a: [P]; }", "table Q { x: int; } table A { a: [Q]; }")
        == ["1:31: 'a' is '[Q]' and was '[P]'; keep the old field as 'deprecated' and append another"])
  }

  @Test("The renamed table of a nested buffer is compared with the old one") func whatIsNestedIsFollowed() throws {
    #expect(
      try evolutionProblems(
        #"table N { x: int; } table A { n: [ubyte] (nested_flatbuffer: "N"); }"#,
        #"table M { x: bool; } table A { n: [ubyte] (nested_flatbuffer: "M"); }"#)
        == ["1:11: 'x' is 'bool' and was 'int'; keep the old field as 'deprecated' and append another"])
  }

  @Test("A nested buffer can't become plain bytes") func aNestedBufferThatBecomesBytes() throws {
    #expect(
      try evolutionProblems(
        #"table N { x: int; } table A { n: [ubyte] (nested_flatbuffer: "N"); }"#,
        "table N { x: int; } table A { n: [ubyte]; }") == [
          "1:31: 'n' was a nested buffer; old programs refuse data that contains anything else there; "
            + "leave it as it was, or append another field"
        ])
  }

  @Test("A table that becomes a struct is reported at the type and at the field")
  func aTypeThatChangesItsKindBehindAField() throws {
    #expect(
      try evolutionProblems("table P { x: int; } table A { p: P; }", "struct P { x: int; } table A { p: P; }") == [
        "1:8: 'P' is a struct and was a table; give the new type another name",
        "1:32: 'p' is a struct and was a table; keep the old field as 'deprecated' and append another",
      ])
  }

  // MARK: Fields that come back

  @Test("A deprecated field can come back with its default") func aFieldComesBackWithItsDefault() throws {
    #expect(
      try evolutionProblems("table A { x: int = 3 (deprecated); }", "table A { x: int = 3; }") == [])
  }

  @Test("A deprecated field can't come back with another default") func aFieldComesBackWithAnotherDefault() throws {
    #expect(
      try evolutionProblems("table A { x: int = 3 (deprecated); }", "table A { x: int = 4; }") == [
        "1:11: 'x' has the default 4 and had 3; defaults are not stored, so existing data would change its meaning; "
          + "keep the default"
      ])
  }

  @Test("A default and a file identifier keep their bytes, not only their characters") func spellings() throws {
    #expect(
      try evolutionProblems("table A { s: string = \"\u{E9}\"; }", "table A { s: string = \"e\u{301}\"; }")
        .map { $0.hasPrefix("1:11: 's' has the default ") } == [true])
    let root = "table A { x: int; } root_type A; file_identifier \"ab"
    #expect(
      try evolutionProblems(root + "\u{340}\";", root + "\u{300}\";")
        .map { $0.contains(": the file identifier is ") } == [true])
  }

  // MARK: Files

  @Test("A problem in an included file names that file") func problemsOfIncludedFilesNameThem() throws {
    let text = #"include "part.fbs"; table A { p: Part; }"#
    #expect(
      try evolutionProblems(
        text, text, with: ["part.fbs": "table Part { x: int; }"], and: ["part.fbs": "table Part {\n  x: float; }"])
        == ["part.fbs:2:3: 'x' is 'float' and was 'int'; keep the old field as 'deprecated' and append another"])
  }

  @Test("A type can move to another file") func aTypeMayMoveToAnotherFile() throws {
    #expect(
      try evolutionProblems(
        "table Part { x: int; } table A { p: Part; }", #"include "part.fbs"; table A { p: Part; }"#,
        and: ["part.fbs": "table Part { x: int; }"]) == [])
  }

  @Test("Problems are reported in the order of the text") func problemsComeInTheOrderOfTheText() throws {
    let included = #"include "part.fbs"; table A { a: int; b: int; }"#
    #expect(
      try evolutionProblems(
        included, #"include "part.fbs"; table A { a: long; b: long; }"#,
        with: ["part.fbs": "table Z { z: int; }"], and: ["part.fbs": "table Z { z: long; }"]) == [
          "part.fbs:1:11: 'z' is 'long' and was 'int'; keep the old field as 'deprecated' and append another",
          "1:31: 'a' is 'long' and was 'int'; keep the old field as 'deprecated' and append another",
          "1:40: 'b' is 'long' and was 'int'; keep the old field as 'deprecated' and append another",
        ])
  }

  // MARK: Roots

  @Test("A table that becomes a root can't get a file identifier") func aValueBecomesARootWithAnIdentifier() throws {
    #expect(
      try evolutionProblems(
        "table A { id: int; }", #"table A { id: int (primary); } root_type A; file_identifier "AAAA";"#)
        == ["1:61: the file identifier is \"AAAA\" and was none; programs refuse data with another one; remove it"])
  }

  @Test("A new root can have a file identifier") func aNewRootMayHaveAnIdentifier() throws {
    #expect(
      try evolutionProblems(
        "table A { id: int; }",
        #"table A { id: int; } table B { id: int (primary); } root_type B; file_identifier "BBBB";"#) == [])
  }

  @Test("A root can't move to another namespace") func aRootKeepsItsNamespace() throws {
    #expect(
      try evolutionProblems(
        "namespace X; table A { id: int (primary); } root_type A;",
        "namespace Y; table A { id: int (primary); x: int; }\nroot_type A;") == [
          "2:11: the root type 'Y.A' was 'X.A', and stored values are found by that name; "
            + "keep the name, or change 'v' of the table to start over"
        ])
  }

  @Test("A table that already existed can't replace the root")
  func aRootMayNotLeaveItsPlaceToATableThatWasThere() throws {
    #expect(
      try evolutionProblems(
        "table A { id: int (primary); } table B { id: int; } root_type A;",
        "table A { id: int; } table B { id: int (primary); }\nroot_type B;"
      ).last
        == "2:11: the root type is 'B' and was 'A'; keep it, and give 'B' a file of its own")
  }
}

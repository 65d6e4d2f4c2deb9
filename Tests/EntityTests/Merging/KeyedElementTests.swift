import Testing

/// Elements of vectors of tables with a key: an older program that changes them keeps the fields that it doesn't know.
@Suite struct KeyedElementTests {
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

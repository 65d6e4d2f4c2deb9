import Testing

/// The parts of a stored object that an older program keeps when it writes the object again.
@Suite struct UnknownFieldsTests {
  private let trees: SchemaVersions

  init() throws { trees = try SchemaVersions.trees() }

  // MARK: Tables

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

  @Test("Removed parts take their unknown fields along, and added parts have none") func removedAndAdded() throws {
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
}
